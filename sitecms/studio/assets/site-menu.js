// The menu of the site: rows are dragged by their handles, moved by keys, added by search and removed. Without this
// script each row has buttons that the server answers.

import { _ } from "./texts.js";

const INDENT = 36;
const PAUSE_MS = 150;
const form = document.querySelector(".menu-form");
const list = form.querySelector(".menu-rows");
const status = form.querySelector(".announced");
const template = document.querySelector("#new-row");
const isRightToLeft = getComputedStyle(form).direction === "rtl";
const mayNest = Boolean(template.content.querySelector("[data-act=nest]"));
const box = form.querySelector("#add-entry");
const results = form.querySelector("#add-results");

const levelOf = (row) => Number(row.dataset.level);
const field = (row, name) => row.querySelector(`[name="${name}"]`);
const nameOf = (row) => field(row, "label").value || _("new entry");
const rows = () => [...list.children];

/** Return a row and those below it. */
function blockOf(row) {
  const block = [row];
  if (levelOf(row)) return block;
  for (let next = row.nextElementSibling; next && levelOf(next); next = next.nextElementSibling) block.push(next);
  return block;
}

function announce(row) {
  const number = rows().indexOf(row) + 1;
  status.textContent = levelOf(row)
    ? _("%(name)s is entry %(number)s of %(all)s, below another one.", { name: nameOf(row), number, all: rows().length })
    : _("%(name)s is entry %(number)s of %(all)s, at the top.", { name: nameOf(row), number, all: rows().length });
}

/** Put a row below the entry above it, or at the top; the item of an entry at the top goes with it. */
function setLevel(row, level) {
  if (level && (!mayNest || !row.previousElementSibling)) return;
  if (row.dataset.id === undefined) row.dataset.id = field(row, "id").value;
  row.dataset.level = field(row, "level").value = level;
  field(row, "id").value = level ? "" : row.dataset.id;
  const button = row.querySelector("[data-act=nest]");
  if (button) button.textContent = level ? "⇤" : "⇥";
}

/** Move a row with those below it one place up or down. */
function move(row, isUp) {
  const block = blockOf(row);
  if (isUp) {
    let before = row.previousElementSibling;
    while (before && levelOf(before) > levelOf(row)) before = before.previousElementSibling;
    if (!before || (levelOf(row) && !before.previousElementSibling)) return;
    before.before(...block);
  } else {
    const after = block.at(-1).nextElementSibling;
    if (!after) return;
    (levelOf(row) ? after : blockOf(after).at(-1)).after(...block);
  }
}

function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  tidy();
  status.textContent = _("%(name)s is removed.", { name: nameOf(row) });
  (next?.querySelector(".handle") ?? box).focus();
}

/** Give the rows the names of their numbers, and put a first row at the top. */
function tidy() {
  rows().forEach((row, number) => {
    if (!number) setLevel(row, 0);
    for (const name of ["label", "url"]) {
      const input = field(row, name);
      const label = row.querySelector(`label[for="${input.id}"]`);
      label.htmlFor = input.id = `${number}.${name}`;
    }
    row.querySelector(".handle").setAttribute("aria-label", _("Move: %(name)s", { name: nameOf(row) }));
  });
}

function act(row, name) {
  if (name === "remove") return remove(row);
  if (name === "nest") setLevel(row, levelOf(row) ? 0 : 1);
  else move(row, name === "up");
  tidy();
  announce(row);
}

list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (!button) return;
  event.preventDefault();
  act(button.closest(".menu-row"), button.dataset.act);
  if (button.isConnected) button.focus();
});

list.addEventListener("keydown", (event) => {
  const handle = event.target.closest(".handle");
  const name = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  const level = { ArrowRight: Number(!isRightToLeft), ArrowLeft: Number(isRightToLeft) }[event.key];
  if (!handle || (name === undefined && level === undefined)) return;
  event.preventDefault();
  const row = handle.closest(".menu-row");
  if (name) move(row, name === "up");
  else setLevel(row, level);
  tidy();
  announce(row);
  handle.focus();
});

list.addEventListener("input", (event) => event.target.name === "label" && tidy());

/** Drag a row by its handle: down and up moves it, to the side changes its level. */
list.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest(".handle");
  if (!handle || event.button) return;
  event.preventDefault();
  handle.focus();
  list.setPointerCapture(event.pointerId); // the list stays where it is, and so keeps the pointer
  const row = handle.closest(".menu-row");
  const [startX, startLevel] = [event.clientX, levelOf(row)];
  row.classList.add("dragged");
  const block = blockOf(row);
  for (const below of block.slice(1)) below.hidden = true; // so that the next entry is near
  const drag = ({ clientX, clientY }) => {
    const others = rows().filter((each) => !block.includes(each) && (levelOf(row) || !levelOf(each)));
    const below = others.find((each) => {
      const { top, height } = each.getBoundingClientRect();
      return clientY < top + height / 2;
    }) ?? null;
    if (below !== block.at(-1).nextElementSibling) below ? below.before(...block) : list.append(...block);
    const shift = (clientX - startX) * (isRightToLeft ? -1 : 1);
    if (block.length === 1) setLevel(row, Math.max(0, Math.min(1, startLevel + Math.round(shift / INDENT))));
  };
  const drop = () => {
    row.classList.remove("dragged");
    for (const below of block.slice(1)) below.hidden = false;
    list.removeEventListener("pointermove", drag);
    tidy();
    announce(row);
  };
  list.addEventListener("pointermove", drag);
  list.addEventListener("lostpointercapture", drop, { once: true });
});

/** Return an empty row: a copy of one that is there, or of the form of rows. */
function newRow(label, url) {
  const row = template.content.firstElementChild.cloneNode(true);
  field(row, "label").value = label;
  field(row, "url").value = url;
  list.append(row);
  tidy();
  return row;
}

form.querySelector("[data-act=add]").addEventListener("click", (event) => {
  event.preventDefault();
  field(newRow("", ""), "label").focus();
});

let found = [];
let chosen = -1;
let asked = 0;
let timer;

function show(entries) {
  [found, chosen] = [entries, -1];
  results.replaceChildren(
    ...entries.map((entry, number) => {
      const item = Object.assign(document.createElement("li"), { id: `add-result-${number}`, role: "option" });
      const label = Object.assign(document.createElement("strong"), { textContent: entry.label });
      const rest = Object.assign(document.createElement("span"), { className: "meta", textContent: `${entry.kind} · ${entry.url}` });
      item.append(label, " ", rest);
      item.addEventListener("pointerdown", (event) => event.preventDefault());
      item.addEventListener("click", () => take(entry));
      return item;
    }),
  );
  results.hidden = !entries.length;
  box.setAttribute("aria-expanded", String(Boolean(entries.length)));
  mark(entries.length ? 0 : -1);
}

function mark(number) {
  chosen = number;
  [...results.children].forEach((item, each) => item.setAttribute("aria-selected", String(each === number)));
  if (number < 0) box.removeAttribute("aria-activedescendant");
  else box.setAttribute("aria-activedescendant", `add-result-${number}`);
  results.children[number]?.scrollIntoView({ block: "nearest" });
}

function take({ label, url }) {
  const row = newRow(label, url);
  box.value = "";
  show([]);
  status.textContent = _("%(name)s is added at the end of the menu.", { name: label });
  if (!label) field(row, "label").focus();
}

async function search() {
  const [number, text] = [(asked += 1), box.value.trim()];
  if (!text) return show([]);
  const typed = /^(?:\/|https?:\/\/|mailto:)\S+$/.test(text) ? [{ label: "", url: text, kind: _("Address") }] : [];
  let entries = [];
  try {
    const answer = await fetch(form.dataset.addresses + encodeURIComponent(text), { headers: { Accept: "application/json" } });
    if (answer.ok) entries = (await answer.json()).found;
  } catch {
    // Without an answer the text can still be an address.
  }
  if (number === asked) show([...typed, ...entries]);
}

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
box.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (found.length) mark((chosen + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (found[chosen]) take(found[chosen]);
  } else if (event.key === "Escape" && found.length) {
    event.preventDefault();
    show([]);
  }
});

for (const element of form.querySelectorAll(".handle, #menu-keys, .adding-row")) element.hidden = false;
template.content.querySelector(".handle").hidden = false;
