// Puts the answer to a saved form into the page that sent it. `saving.js` loads this with the first answer.
//
// The answer is the page of the entry, as it is shown without scripts. Its parts that hold nothing typed (`data-part`)
// take the place of those that are here. What was typed stays, also what was typed since the form was sent.

const EDITORS = "rich-text, markdown-source";

/** Return the page of an entry in the text of an answer, or null for another page. */
export function entryPage(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.querySelector("form#entry") ? page : null;
}

/** Return the values of each name among fields. */
function byName(fields) {
  const values = new Map();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value.replace(/\r\n?/g, "\n")]);
  return values;
}

/** Return whether two lists of texts are the same. */
function isSame(one, other) {
  return JSON.stringify(one ?? []) === JSON.stringify(other ?? []);
}

/** Return the notes that are typed in a part, but for those that the pressed button has sent. */
function typedIn(part, pressed) {
  const areas = [...part.querySelectorAll("textarea[data-of]")];
  return areas.filter(({ value, defaultValue, dataset }) => value !== defaultValue && dataset.of !== pressed);
}

function writeAgain(area, value) {
  if (!area) return;
  area.value = value;
  area.closest("details")?.setAttribute("open", "");
}

/** Return whether something in a part of the page was typed since it was sent. */
function isTyped(part, sent) {
  const controls = [...part.querySelectorAll("input[type=datetime-local], select")];
  return controls.some((each) => !sent.some(([name, value]) => name === each.name && value === each.value));
}

/** Exchange the parts of the page for those of the answer; the focus stays on a button that both have. */
function exchangeParts(page, sent) {
  const { name, value } = document.activeElement ?? {};
  for (const part of document.querySelectorAll("[data-part]")) {
    const other = page.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!other || isTyped(part, sent)) continue;
    const hadFocus = part.contains(document.activeElement);
    const typed = typedIn(part, sent.at(-1)?.[1]);
    if (part.matches("details")) part.open = other.open;
    part.replaceChildren(...document.importNode(other, true).childNodes);
    for (const { name, value } of typed) writeAgain(part.querySelector(`[name="${CSS.escape(name)}"]`), value);
    if (hadFocus) {
      const same = name && [...part.querySelectorAll(`[name="${CSS.escape(name)}"]`)].find((each) => each.value === value);
      (same ?? document.querySelector("#main")).focus();
    }
  }
  for (const button of document.querySelectorAll(".to-preview, .to-check")) {
    const other = page.querySelector(button.matches(".to-check") ? ".to-check" : ".to-preview");
    if (other) button.setAttribute("formaction", other.getAttribute("formaction"));
  }
  document.title = page.title;
}

/** Remove the messages of the last answer that stand at fields. */
function clearProblems(form) {
  for (const each of form.querySelectorAll(".problem[id]")) each.remove();
  for (const each of form.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
}

/** Show that the form was saved: its address, state and revision are those of the answer. */
export function showSaved(page, url, form, sent) {
  const saved = page.querySelector("form#entry");
  const address = new URL(url);
  const said = page.querySelector("[data-said]");
  address.searchParams.delete("said");
  const place = new URL(saved.getAttribute("action"), url);
  if (place.pathname !== location.pathname) history.replaceState(null, "", `${address.pathname}${address.search}`);
  form.setAttribute("action", saved.getAttribute("action"));
  clearProblems(form);
  // Rows begin with what is stored now.
  for (const each of form.querySelectorAll("[name$='.-from']")) each.value = each.dataset.sent ?? "";
  exchangeParts(page, sent);
  if (sent.some(([name, value]) => name.startsWith("choose.") && value === "theirs")) {
    for (const [name, values] of unlikeSent(saved, sent)) if (isAsSent(form, name, sent)) setValues(form, name, values);
  }
  const slug = form.elements.slug;
  if (slug && slug.value === sent.find(([name]) => name === "slug")?.[1]) slug.value = saved.elements.slug.value;
  for (const each of document.querySelectorAll("[data-said]")) each.remove();
  if (said) document.querySelector("[data-save-state]").append(document.importNode(said, true));
  return said?.dataset.said ?? "";
}

/** Return the texts of a form by name; those of the parts that are exchanged as a whole are left out. */
function textsOf(form) {
  const isOfPart = (name) => [...form.elements].filter((each) => each.name === name).every((each) => each.closest("[data-part]"));
  return byName([...new FormData(form)].filter(([name, value]) => typeof value === "string" && !isOfPart(name)));
}

/** Return names and values of the form of the answer that are not what was sent. */
function unlikeSent(other, sent) {
  const was = byName(sent);
  return [...textsOf(other)].filter(([name, values]) => !isSame(values, was.get(name)));
}

/** Return whether a name was sent, and the form still has the values that were. */
function isAsSent(form, name, sent) {
  const was = byName(sent);
  const now = byName([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  return was.has(name) && isSame(now.get(name), was.get(name));
}

/** Write a value of the answer into the controls of a name; return whether that was possible. */
function setValues(form, name, values) {
  const controls = [...form.elements].filter((each) => each.name === name);
  if (controls.every(({ type }) => type === "checkbox")) {
    for (const each of controls) each.checked = values.includes(each.value);
    return controls.length > 0;
  }
  if (controls.length !== values.length) return false;
  controls.forEach((control, index) => {
    control.value = values[index];
    control.closest(EDITORS)?.open?.();
    control.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return true;
}

/** Put a message of the answer beside its control; return whether there is one. */
function placeProblem(problem, form, page) {
  const id = problem.id.replace(/-problem(-?\d+)?$/, "");
  const control = document.getElementById(id);
  if (!control || !form.contains(control)) return false;
  const other = page.getElementById(id);
  const message = document.importNode(problem, true);
  if (control.matches("legend, summary")) control.after(message);
  else (control.closest(EDITORS) ?? control).before(message);
  for (const name of ["aria-invalid", "aria-describedby"]) {
    if (other?.hasAttribute(name)) control.setAttribute(name, other.getAttribute(name));
  }
  return true;
}

/**
 * Show what was refused, or the conflict with what is stored; return false if the page cannot show it, and is as it was.
 * What others changed is put into the form where nothing was typed since it was sent.
 */
export function showRefused(page, form, sent) {
  const other = page.querySelector("form#entry");
  const problems = [...other.querySelectorAll(".problem[id]")];
  const changed = unlikeSent(other, sent);
  const isKnown = ([name]) => isAsSent(form, name, sent);
  const hasPlace = ({ id }) => form.querySelector(`#${CSS.escape(id.replace(/-problem(-?\d+)?$/, ""))}`);
  if (!changed.every(isKnown) || !problems.every(hasPlace)) return false;
  clearProblems(form);
  exchangeParts(page, sent);
  for (const [name, values] of changed) if (!setValues(form, name, values)) return false;
  for (const problem of problems) placeProblem(problem, form, page);
  for (const each of document.querySelectorAll("[data-said]")) each.remove();
  const first = document.querySelector("main .conflict[autofocus], main .problems[autofocus]");
  first?.focus();
  first?.scrollIntoView({ block: "center" });
  return true;
}

/** Take the token of the session that the browser has now: "renewed", "signed-out", or "other" for another user. */
export async function renewToken(form) {
  try {
    const answer = await fetch(form.getAttribute("action"), { cache: "no-store" });
    const page = entryPage(await answer.text());
    if (!page) return "signed-out";
    if (page.body.dataset.user !== document.body.dataset.user) return "other";
    const { value } = page.querySelector("form#entry [name=form_token]");
    for (const each of document.querySelectorAll("[name=form_token]")) each.value = value;
    return "renewed";
  } catch {
    return "signed-out";
  }
}
