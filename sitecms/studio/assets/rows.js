// Components and rows of a form: which are folded is remembered for the visit, and errors and links open what they are in.
// What moves, adds and removes rows is loaded when somebody points or goes to them. Without this script each button sends
// the form, and everything folds all the same.

import { _ } from "./texts.js";

const OPEN = "sitecms:open";
const form = document.querySelector("form.editor");
const folds = () => [...form.querySelectorAll("details[data-fold]")];
const changes = () => import("./row-changes.js").catch(() => null);

/** Return what was open (true) and folded (false) on this page in this visit, by its names. */
function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(OPEN + form.action)) ?? {};
  } catch {
    return {};
  }
}

/** Remember what is open and folded. */
function remember() {
  try {
    const states = folds().map(({ dataset, open }) => [dataset.fold, open]);
    sessionStorage.setItem(OPEN + form.action, JSON.stringify(Object.fromEntries(states)));
  } catch {
    // Nothing is remembered where storage is refused.
  }
}

/** Open everything that an element is in. */
function reveal(element) {
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

/** Open what has to be corrected, and say so in its line. */
function showProblems() {
  for (const fold of folds()) {
    const line = fold.querySelector(":scope > summary");
    const isWrong = Boolean(fold.querySelector(".problem"));
    fold.open ||= isWrong;
    line.querySelector(".mark.failed")?.remove();
    if (isWrong) line.append(Object.assign(document.createElement("span"), { className: "mark failed", textContent: _("To correct") }));
  }
}

/** Open and focus what a link of this page leads to. */
function follow(event) {
  const link = event.target.closest("a[href^='#']");
  const target = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!target?.closest("[data-fold]")) return;
  event.preventDefault();
  document.querySelector("#panel[popover]")?.hidePopover();
  reveal(target);
  if (target.hidden) target.labels[0]?.click();
  else target.focus();
  (target.hidden ? target.parentElement : target).scrollIntoView({ block: "start" });
}

/** Close the buttons of rows that somebody has left. */
function closeActs({ target, type }) {
  for (const acts of form.querySelectorAll(".row-acts[open]")) {
    if (type === "click" && acts.contains(target)) continue;
    acts.open = false;
    if (acts.contains(document.activeElement)) acts.querySelector("summary").focus();
  }
}

/** Fold or unfold everything at once. */
function foldAll({ target }) {
  const isOpen = target.dataset.foldAll === "open";
  for (const fold of folds()) fold.open = isOpen;
}

async function pressed(event) {
  const button = event.target.closest("button[name=do]");
  const act = button && /^(up|down|double|remove|add|insert):/.exec(button.value)?.[1];
  if (!act) return;
  event.preventDefault();
  const script = await changes();
  if (script) script.press(act, button);
  else form.requestSubmit(button);
}

async function typed(event) {
  if (event.key === "Escape") closeActs(event);
  const row = event.altKey && /^Arrow(Up|Down)$/.test(event.key) && event.target.matches("summary") && event.target.closest("[data-row]");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  (await changes())?.step(row, event.key === "ArrowUp" ? -1 : 1);
}

async function pointed(event) {
  const handle = event.button === 0 && event.target.closest(".handle");
  if (!handle) return;
  const stop = new AbortController();
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => stop.abort(), { capture: true, signal: stop.signal });
  const script = await changes();
  if (!stop.signal.aborted) script?.drag(event, handle);
  stop.abort();
}

const before = remembered();
for (const fold of folds()) fold.open = "needed" in fold.dataset || (before[fold.dataset.fold] ?? fold.open);
for (const buttons of document.querySelectorAll("[data-folding]")) {
  buttons.hidden = false;
  buttons.addEventListener("click", foldAll);
}
for (const name of ["invalid", "sitecms:reveal"]) form.addEventListener(name, ({ target }) => reveal(target), true);
form.addEventListener("click", pressed);
form.addEventListener("keydown", typed);
form.addEventListener("pointerdown", pointed);
for (const name of ["pointerover", "focusin"]) form.addEventListener(name, () => void changes(), { once: true });
form.addEventListener("change", async ({ target }) => {
  if (target.closest("[data-fold]")) (await changes())?.showLine(target);
});
document.addEventListener("sitecms:answered", showProblems);
document.addEventListener("sitecms:sent", () => {
  for (const each of form.querySelectorAll("[name$='.-from']")) each.dataset.sent = each.name.split(".").at(-2);
});
document.addEventListener("click", closeActs);
document.addEventListener("click", follow);
addEventListener("pagehide", remember);
