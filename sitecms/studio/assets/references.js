// Lists of references: entries that are created in another tab are chosen here, long lists are searched, and lists of
// several get a further empty one. Colours get a picker. Without this script the links open a tab, the button below each
// list reads it again, and a colour is typed.

import { make } from "./writing/elements.js";
import { _ } from "./texts.js";

const SEARCHED_FROM = 12;
// The studio lists no more entries of a target, and finds the others by their words.
const CUT_AT = 1000;
const TYPING_MS = 200;
const channel = new BroadcastChannel("sitecms:created");
const asked = new Map();

/** Tell the form that asked for the entry of this page; close the tab once it has taken it. */
function answer(told) {
  const { asks, value, label } = told.dataset;
  channel.addEventListener("message", ({ data }) => {
    if (data.taken !== asks) return;
    told.textContent = _("It is chosen in the form that you came from. You can close this tab.");
    window.close();
  });
  channel.postMessage({ asks, value, label });
}

/** Return the lists of a field that the page has now; a list may be named by its id, too. */
function listsOf(name) {
  const named = document.getElementById(name);
  if (named?.matches("select")) return [named];
  return [...document.querySelectorAll("main select")].filter((list) => list.name === name);
}

/** Add a new entry to all lists that may name it, and choose it in the field that asked for it. */
function take({ asks, value, label }) {
  const name = asked.get(asks);
  const lists = name ? listsOf(name) : [];
  const list = lists.find((each) => !each.value) ?? lists.at(-1);
  if (!list) return;
  for (const each of document.querySelectorAll("main select")) {
    if (each !== list && (!list.dataset.list || each.dataset.list !== list.dataset.list)) continue;
    if (![...each.options].some((option) => option.value === value)) each.append(new Option(label, value));
  }
  list.value = value;
  list.dispatchEvent(new Event("change", { bubbles: true }));
  list.focus();
  asked.delete(asks);
  channel.postMessage({ taken: asks });
}

/** Open the form of a new entry in a tab that knows which field waits for it. */
function add(event) {
  const link = event.target.closest?.("a[data-add]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  const address = new URL(link.href);
  address.searchParams.set("asks", id);
  asked.set(id, link.dataset.add);
  window.open(address, "_blank");
}

/** Return value and label of the entries with these words that a list does not show. */
async function others(list, text) {
  const locale = new URLSearchParams(location.search).get("locale") ?? "";
  const asks = new URLSearchParams({ targets: list.dataset.list, text, locale });
  const answer = await fetch(`/studio/find/references/?${asks}`);
  const { found } = answer.ok ? await answer.json() : { found: [] };
  const there = new Set([...list.options].map((option) => option.value));
  return found.filter(({ value }) => !there.has(value));
}

/** Put a field above a long list that shows only the entries with its words. */
function search(list) {
  const all = [...list.options];
  const isCut = all.length > CUT_AT;
  let waits = 0;
  const typed = () => field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const more = async (text) => {
    const found = await others(list, text).catch(() => []);
    if (typed().join(" ") !== text) return;
    // The studio finds more than words of labels.
    const hidden = new Map(all.map((option) => [option.value, option]));
    list.append(...found.map(({ value, label }) => hidden.get(value) ?? new Option(label, value)));
  };
  const label = document.querySelector(`label[for="${CSS.escape(list.id)}"]`)?.textContent ?? _("the list");
  const field = make("input", { type: "search", placeholder: _("Search the list") });
  field.setAttribute("aria-label", _("Search in %(list)s", { list: label }));
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const words = typed();
    const added = [...list.options].filter((option) => !all.includes(option));
    all.push(...added);
    const isShown = (option) => words.every((word) => option.textContent.toLowerCase().includes(word));
    const chosen = list.value;
    list.replaceChildren(...all.filter((option) => !option.value || option.value === chosen || isShown(option)));
    list.value = chosen;
    clearTimeout(waits);
    if (isCut && words.length) waits = setTimeout(() => more(words.join(" ")), TYPING_MS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  list.before(field);
}

/** Add an empty list below the last one of several, once that has an entry. */
function extend(list) {
  const lists = listsOf(list.name);
  if (lists.length < 1 || lists.at(-1) !== list || !list.value || !/\.\d+$/.test(list.id)) return;
  const next = list.cloneNode(true);
  const label = document.querySelector(`label[for="${CSS.escape(list.id)}"]`).cloneNode(true);
  next.id = list.id.replace(/\d+$/, (number) => Number(number) + 1);
  label.htmlFor = next.id;
  label.textContent = label.textContent.replace(/\d+\s*$/, (number) => Number(number) + 1);
  next.value = "";
  list.after(label, next);
}

/** Put the browser's picker beside the text of a colour. */
function pick(text) {
  const picker = make("input", { type: "color", value: text.value || "#000000", disabled: text.disabled });
  const label = document.querySelector(`label[for="${CSS.escape(text.id)}"]`)?.textContent ?? _("colour");
  picker.setAttribute("aria-label", _("Pick: %(field)s", { field: label }));
  picker.addEventListener("input", () => {
    text.value = picker.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
  text.addEventListener("input", () => {
    if (/^#[0-9a-f]{6}$/i.test(text.value)) picker.value = text.value;
  });
  text.after(picker);
}

channel.addEventListener("message", ({ data }) => {
  if (data.asks) take(data);
});
const told = document.querySelector("[data-asks]");
if (told) answer(told);
document.addEventListener("click", add);
document.addEventListener("change", ({ target }) => {
  if (target.matches?.("select[data-list]")) extend(target);
});
/** Give the lists and colours of the form, or of a row that was added to it, what this script adds. */
function enhance(root) {
  for (const list of root.querySelectorAll("select[data-list]")) {
    if (list.options.length > SEARCHED_FROM && !list.disabled) search(list);
  }
  root.querySelectorAll("input[data-color]").forEach(pick);
}

enhance(document);
document.addEventListener("sitecms:added", ({ detail }) => enhance(detail));
