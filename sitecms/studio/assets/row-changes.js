// Moves, adds, duplicates and removes rows of a form where they are, and says so. The names of the fields in a row begin
// with the path of the row, so rows are renamed when their order changes. New ones are drawn by the server.

import { make } from "./writing/elements.js";
import { _ } from "./texts.js";

const BEGINS_PX = 6;
const EDGE_PX = 90;
const SCROLL_PX = 12;
const DROPPED_MS = 50;
const MOST_LETTERS = 120;
const RENAMED = ["name", "id", "for", "href", "aria-describedby", "aria-labelledby", "data-row", "data-fold", "data-rows", "data-texts", "data-picture", "data-add", "data-part"];
const form = document.querySelector("form.editor");
const news = make("p", { className: "hidden", role: "status" });
form.after(news);

const gistOf = (row) => row.querySelector(":scope > [data-fold] > .line > .gist").textContent;
const rowsOf = (list) => [...list.children].filter((row) => row.dataset.row);
const numberOf = (row) => rowsOf(row.parentElement).indexOf(row);

/** Return the name of a row for people: what it is, and the text of its line. */
const nameOf = (row) => [row.dataset.title, gistOf(row)].filter(Boolean).join(", ");

/** Have a screen reader say something. */
function say(text) {
  news.textContent = "";
  setTimeout(() => (news.textContent = text), 50);
}

/** Say that the form changed to those that keep it, and show it in the outline. */
function changed(list) {
  showList(list);
  showOutline();
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Give a row, and everything in it, another name. */
function rename(row, name) {
  const before = row.dataset.row;
  const parts = new RegExp(`(^|[\\s:#])${before.replace(/[.~]/g, "\\$&")}(?=$|[\\s.:-])`, "g");
  for (const element of [row, ...row.querySelectorAll("*")]) {
    if (element.closest("[contenteditable]")) continue;
    const names = element.matches("button") ? [...RENAMED, "value"] : RENAMED;
    for (const each of names) {
      const value = element.getAttribute(each);
      if (value?.includes(before)) element.setAttribute(each, value.replace(parts, `$1${name}`));
    }
  }
}

/** Name the rows of a list by their order. Radio buttons have names of their own meanwhile, so that they stay chosen. */
function renumber(list) {
  const path = list.parentElement.dataset.rows;
  const rows = rowsOf(list);
  const moved = rows.filter((row, number) => row.dataset.row !== `${path}.${number}`);
  for (const row of moved) rename(row, `${path}.~${rows.indexOf(row)}`);
  for (const row of moved) rename(row, `${path}.${rows.indexOf(row)}`);
  form.elements[`${path}.count`].value = rows.length;
  rows.forEach((row, number) => {
    const name = `${row.dataset.title} ${number + 1}`;
    for (const element of row.querySelectorAll(":scope > .gap [data-label], :scope > .row-acts [data-label]")) {
      element.setAttribute("aria-label", element.dataset.label.replace("{row}", name));
    }
    for (const [act, last] of [["up", 0], ["down", rows.length - 1]]) {
      row.querySelector(`:scope > .row-acts [value^="${act}:"]`).disabled = number === last;
    }
    const gap = row.querySelector(":scope > .gap > button");
    if (gap?.value.startsWith("add:")) gap.value = gap.value.replace(/\d+$/, number);
  });
}

/** Return the list of rows within an element that shows one. */
const listIn = (element) => element?.querySelector(":scope > .rows");

/** Return whether a list takes a row: its own, or a component that it may hold, but not in itself. */
function takes(list, row) {
  if (!list || row.contains(list)) return false;
  const component = form.elements[`${row.dataset.row}.type`]?.value;
  const path = list.parentElement.dataset.rows;
  return list === row.parentElement || Boolean(component && list.parentElement.querySelector(`:scope > [data-additions] > [value="add:${path}:${component}"]`));
}

/** Return all lists of the form that take a row, in their order. */
function listsFor(row) {
  return [...form.querySelectorAll("[data-rows]")].map(listIn).filter((list) => takes(list, row));
}

/** Put a row into another list; browsers that can do so keep its focus and what it plays. */
function put(row, list, before) {
  if (list.moveBefore) list.moveBefore(row, before);
  else list.insertBefore(row, before);
  list.closest("[data-fold]").open = true;
}

/** Move a row by steps, beyond the end of its list into the next one that takes it; the focus stays where it is. */
export function step(row, steps) {
  const home = row.parentElement;
  const rows = rowsOf(home);
  const other = rows[rows.indexOf(row) + steps];
  // The neighbour is moved, so that the row keeps its focus, its editors and what it plays.
  if (other && steps < 0) row.after(other);
  else if (other) row.before(other);
  else {
    const lists = listsFor(row);
    const list = lists[lists.indexOf(home) + steps];
    if (!list) return;
    const focused = document.activeElement;
    put(row, list, steps < 0 ? null : list.firstElementChild);
    focused.focus();
  }
  moved(row, home);
}

/** Name the rows of the list that has a row now, and of the one that had it, and say where the row is. */
function moved(row, home) {
  const list = row.parentElement;
  if (list !== home) {
    rename(row, `${list.parentElement.dataset.rows}.~moved`);
    form.elements[`${row.dataset.row}.-from`].value = ""; // it is a new row there
    renumber(home);
    changed(home);
  }
  renumber(list);
  row.scrollIntoView({ block: "nearest" });
  const place = { number: numberOf(row) + 1, count: rowsOf(list).length, row: nameOf(row) };
  const name = list.closest("[data-fold]").querySelector(":scope > summary > .kind").textContent;
  say(list === home ? _("Moved to %(number)s of %(count)s: %(row)s", place) : _("Moved to %(list)s, %(number)s of %(count)s: %(row)s", { ...place, list: name }));
  changed(list);
}

/** Do what a button of a row or list says. */
export function press(act, button) {
  const row = button.closest("[data-row]");
  if (act === "up" || act === "down") {
    step(row, act === "up" ? -1 : 1);
    if (button.disabled) row.querySelector(":scope > .row-acts > summary").focus();
  } else if (act === "remove") remove(row);
  else if (act === "insert") offer(row, button);
  else add(act, button, row);
}

/** Show in a gap what may be added there. */
function offer(row, button) {
  const gap = button.parentElement;
  const buttons = [...row.closest("[data-rows]").querySelectorAll(":scope > [data-additions] > [value^='add:']")];
  const choices = make("p", { className: "buttons small", role: "group", ariaLabel: button.ariaLabel });
  choices.append(...buttons.map((each) => make("button", { name: "do", value: `${each.value}:${numberOf(row)}` }, each.firstChild.textContent)));
  choices.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    choices.replaceWith(button);
    button.focus();
  });
  button.replaceWith(choices);
  choices.querySelector("button").focus();
}

/** Add a new row or a copy of one, as the server draws it. */
async function add(act, button, row) {
  const list = button.closest("[data-rows]").querySelector(":scope > .rows");
  const number = act === "double" ? numberOf(row) + 1 : Number(/:(\d+)$/.exec(button.value)?.[1] ?? rowsOf(list).length);
  const name = `${list.parentElement.dataset.rows}.${number}`;
  const made = await drawn(button, name);
  if (!made) return;
  rename(made, `${name}~new`);
  list.insertBefore(made, rowsOf(list)[number] ?? null);
  closeChoices(list);
  row?.querySelector(":scope > .row-acts")?.removeAttribute("open");
  renumber(list);
  document.dispatchEvent(new CustomEvent("sitecms:added", { detail: made }));
  const field = act === "add" && [...made.querySelectorAll(".stack :is(input:not([type=hidden]), select, textarea, [contenteditable=true])")].find((each) => each.offsetParent);
  (field || made.querySelector("[data-fold] > summary")).focus();
  made.scrollIntoView({ block: "nearest" });
  say(_("Added: %(row)s", { row: nameOf(made) }));
  changed(list);
}

/** Close what gaps of a list offer. */
function closeChoices(list) {
  for (const choices of list.querySelectorAll(":scope > .row > .gap > p")) {
    const row = choices.closest("[data-row]");
    const button = make("button", { name: "do", value: `insert:${row.dataset.row}` }, "+");
    button.dataset.label = _("Add before %(row)s", { row: "{row}" });
    button.title = _("Add here");
    choices.replaceWith(button);
  }
}

/** Return the new row of the form that the server answers to a button; nothing if it does not answer. */
async function drawn(button, name) {
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  const body = new URLSearchParams([...fields, ["do", button.value]]);
  let answer;
  try {
    answer = await fetch(form.getAttribute("action"), { method: "POST", body });
  } catch {
    tell(button, _("The server does not answer, so nothing was added. What you typed stays."));
    return null;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const row = answer.ok && page.querySelector(`[data-row="${name}"]`);
  if (row) {
    // The script says itself where the focus goes.
    for (const element of [row, ...row.querySelectorAll("[autofocus]")]) element.removeAttribute("autofocus");
    return document.importNode(row, true);
  }
  form.requestSubmit(button);
  return null;
}

/** Show a message below a list until something else happens in it. */
function tell(element, ...parts) {
  const list = element.closest("[data-rows]");
  list.querySelector(":scope > .told")?.remove();
  const told = make("p", { className: "told", role: "status" }, ...parts);
  list.querySelector(":scope > .rows").after(told);
  return told;
}

/** Remove a row, and offer to bring it back. */
function remove(row) {
  const list = row.parentElement;
  const next = row.nextElementSibling;
  const name = nameOf(row);
  const undo = make("button", { type: "button" }, _("Undo"));
  row.querySelector(":scope > .row-acts").open = false;
  row.remove();
  renumber(list);
  const told = tell(list, _("Removed: %(row)s", { row: name }), " ", undo);
  undo.addEventListener("click", () => {
    list.insertBefore(row, next?.isConnected ? next : null);
    told.remove();
    rename(row, `${list.parentElement.dataset.rows}.~back`);
    renumber(list);
    row.querySelector("[data-fold] > summary").focus();
    say(_("It is back: %(row)s", { row: nameOf(row) }));
    changed(list);
  });
  undo.focus();
  changed(list);
}

/** Show in the lines of all that a field is in what they have now. */
export function showLine(field) {
  for (let fold = field.closest("[data-fold]"); fold; fold = fold.parentElement.closest("[data-fold]")) {
    const line = fold.querySelector(":scope > summary");
    if (line.dataset.texts) showText(line);
    if (line.dataset.picture) showPicture(line);
    const list = fold.querySelector(":scope > [data-rows] > .rows");
    if (list) showList(list);
  }
  showOutline();
}

function showText(line) {
  const texts = line.dataset.texts.split(" ").map((name) => form.elements[name]?.value.replace(/<[^>]*>/g, " "));
  line.querySelector(".gist").textContent = (texts.find((text) => text?.trim()) ?? "").replace(/\s+/g, " ").trim().slice(0, MOST_LETTERS);
}

function showPicture(line) {
  const address = form.elements[line.dataset.picture]?.value ?? "";
  const source = address.replace(/^\/media\/([^/]+)$/, "/studio/media/$1/thumbnail/");
  const thumb = line.querySelector(".line-picture");
  if ((thumb.firstChild?.getAttribute("src") ?? "") === source) return;
  thumb.replaceChildren(...(source ? [make("img", { src: source, alt: "" })] : []));
}

/** Show in the line of a list how many rows it has, and which. */
function showList(list) {
  const line = list.closest("[data-fold]").querySelector(":scope > summary");
  const rows = rowsOf(list);
  const texts = rows.map((row) => (row.dataset.isNumbered ? gistOf(row) : row.dataset.title));
  line.querySelector(".count").textContent = rows.length;
  line.querySelector(".gist").textContent = texts.filter(Boolean).join(" · ").slice(0, MOST_LETTERS);
}

/** Show the parts of the form, and the rows in them, in the outline. */
function showOutline() {
  const outline = document.querySelector(".outline > ol");
  if (!outline) return;
  const entry = (fold, name, inner = []) => {
    const line = fold.querySelector(":scope > summary");
    const text = inner.length ? "" : line.querySelector(".gist").textContent;
    const link = make("a", { href: `#${line.id}` }, [name, text].filter(Boolean).join(" · "));
    return make("li", {}, link, ...(inner.length ? [make("ol", {}, ...inner)] : []));
  };
  const ofRow = (row, number) => entry(row.querySelector("[data-fold]"), row.dataset.isNumbered ? number + 1 : row.dataset.title);
  const groups = [...form.querySelectorAll("#fields .group")].filter((group) => !group.parentElement.closest(".group"));
  outline.replaceChildren(...groups.map((group) => {
    const rows = group.querySelector(":scope > [data-rows] > .rows");
    return entry(group, group.querySelector(".kind").textContent, rows ? rowsOf(rows).map(ofRow) : []);
  }));
}

/** Ignore the click that ends a drag. */
function ignore(event) {
  event.preventDefault();
}

/** Drag a row by its handle among those of its list, and into other lists that take it. */
export function drag(event, handle) {
  const row = handle.closest("[data-row]");
  const home = row.parentElement;
  const before = rowsOf(home);
  const lists = listsFor(row);
  const start = [event.clientX, event.clientY];
  let [isDragging, x, y, frame] = [false, ...start, 0];

  const begin = () => {
    isDragging = true;
    const top = handle.getBoundingClientRect().top;
    for (const list of lists) list.classList.add("sorting");
    row.classList.add("dragged");
    row.querySelector(":scope > .row-acts").open = false;
    scrollBy(0, handle.getBoundingClientRect().top - top);
    frame = requestAnimationFrame(scroll);
  };
  const place = () => {
    const under = document.elementFromPoint(x, y);
    const list = listIn(under?.closest("summary")?.parentElement.querySelector(":scope > [data-rows]") ?? under?.closest("[data-rows]"));
    if (list !== row.parentElement && lists.includes(list)) put(row, list, rowsOf(list).find((each) => y < middle(each)) ?? null);
    else sort();
  };
  const middle = (each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return (top + bottom) / 2;
  };
  const sort = () => {
    const rows = rowsOf(row.parentElement);
    const at = rows.indexOf(row);
    if (rows[at - 1] && y < middle(rows[at - 1])) row.after(rows[at - 1]);
    else if (rows[at + 1] && y > middle(rows[at + 1])) row.before(rows[at + 1]);
    else return;
    sort();
  };
  const scroll = () => {
    const speed = y < EDGE_PX ? -SCROLL_PX : y > innerHeight - EDGE_PX ? SCROLL_PX : 0;
    if (speed) {
      scrollBy(0, speed);
      place();
    }
    frame = requestAnimationFrame(scroll);
  };
  const move = (moved) => {
    if (moved.pointerId !== event.pointerId) return;
    [x, y] = [moved.clientX, moved.clientY];
    if (!isDragging && Math.hypot(x - start[0], y - start[1]) < BEGINS_PX) return;
    if (!isDragging) begin();
    place();
  };
  const end = ({ type, key, pointerId }) => {
    if (key ? key !== "Escape" : pointerId !== event.pointerId) return;
    stop.abort();
    cancelAnimationFrame(frame);
    if (!isDragging) return;
    for (const list of lists) list.classList.remove("sorting");
    row.classList.remove("dragged");
    // A mouse clicks when it lets go, a finger does not.
    if (event.pointerType === "mouse") addEventListener("click", ignore, true);
    setTimeout(() => removeEventListener("click", ignore, true), DROPPED_MS);
    if (type !== "pointerup") home.append(...before);
    row.scrollIntoView({ block: "nearest" });
    if (row.parentElement !== home || rowsOf(home).indexOf(row) !== before.indexOf(row)) moved(row, home);
  };
  const stop = new AbortController();
  const { signal } = stop;
  document.addEventListener("pointermove", move, { signal });
  for (const name of ["pointerup", "pointercancel", "keydown"]) document.addEventListener(name, end, { signal, capture: true });
}
