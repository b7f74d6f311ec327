// The command palette: finds entries by title, pages of the studio and what the buttons of the page do. `studio.js` loads
// it when it is asked for. Every command is a link or button that the page has too.

import { make } from "./writing/elements.js";
import { _ } from "./texts.js";

const FIND_MS = 150;
const MOST = 12;
const FAILED = _("Entries cannot be found at the moment.");

/** Return the text of a link or button without what only readers of the screen get, and with single spaces. */
function nameOf(control) {
  const copy = control.cloneNode(true);
  for (const each of copy.querySelectorAll(".role, .hidden")) each.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** Return the commands of the page: `{ title, kind, run }`. */
function commands() {
  const found = [];
  const add = (control, kind) => found.push({
    title: nameOf(control), kind, run: () => (control.href ? location.assign(control.href) : control.click()),
  });
  for (const each of document.querySelectorAll(".doing > div > .buttons button, .actions :is(a, button)")) {
    if (!each.disabled && !each.hidden) add(each, _("This page"));
  }
  if (document.querySelector(".menu a[href='/studio/posts/']")) {
    found.push({ title: _("New post"), kind: _("Write"), run: () => location.assign("/studio/posts/new/") });
  }
  for (const each of document.querySelectorAll(".menu a")) add(each, _("Go to"));
  add(document.querySelector(".me > a"), _("Your account"));
  return found;
}

/** Return whether a text has all words. */
function matches(text, words) {
  const folded = text.toLowerCase();
  return words.every((word) => folded.includes(word));
}

class Palette {
  constructor() {
    this.field = make("input", { type: "text", id: "palette-field", autocomplete: "off", spellcheck: false, role: "combobox" });
    this.list = make("ul", { id: "palette-list", role: "listbox" });
    this.state = make("p", { className: "meta", role: "status" });
    this.list.setAttribute("aria-label", _("Results"));
    for (const [key, value] of [["aria-controls", "palette-list"], ["aria-expanded", "true"], ["aria-autocomplete", "list"]]) {
      this.field.setAttribute(key, value);
    }
    const label = make("label", { htmlFor: "palette-field" }, _("Go to an entry or do something"));
    const close = make("button", { type: "button", className: "plain" }, _("Close"));
    this.dialog = make("dialog", { className: "palette" }, make("div", { className: "palette-head" }, label, close), this.field, this.state, this.list);
    this.dialog.setAttribute("aria-label", _("Commands"));
    close.addEventListener("click", () => this.dialog.close());
    this.field.addEventListener("input", () => this.typed());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("click", (event) => this.choose(event.target.closest("[role=option]")));
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    document.body.append(this.dialog);
  }

  open() {
    if (document.querySelector("dialog[open]")) return;
    this.commands = commands();
    this.entries = [];
    this.field.value = "";
    this.state.textContent = "";
    this.dialog.showModal();
    this.field.focus();
    this.show();
    void this.find();
  }

  typed() {
    this.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(), FIND_MS);
  }

  /** Ask for entries; an answer to an older question is not shown. */
  async find() {
    const text = this.field.value.trim();
    this.asked = text;
    try {
      const answer = await fetch(`/studio/find/?${new URLSearchParams({ text })}`, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) throw new Error(FAILED);
      const { found } = await answer.json();
      if (this.asked !== text) return;
      this.entries = found.map(({ title, kind, address }) => ({ title: title || _("(no title)"), kind, run: () => location.assign(address) }));
      this.state.textContent = "";
    } catch {
      if (this.asked !== text) return;
      this.entries = [];
      this.state.textContent = FAILED;
    }
    this.show();
  }

  show() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = this.commands.filter(({ title, kind }) => matches(`${kind} ${title}`, words));
    this.shown = (words.length ? [...fitting.slice(0, 6), ...this.entries] : [...fitting, ...this.entries]).slice(0, words.length ? MOST : 40);
    this.list.replaceChildren(...this.shown.map(({ title, kind }, index) => make("li", { id: `palette-${index}`, role: "option" },
      make("span", {}, title), make("span", { className: "meta" }, kind))));
    if (!this.shown.length && words.length) this.state.textContent ||= _("Nothing matches.");
    else if (this.state.textContent === _("Nothing matches.")) this.state.textContent = "";
    this.list.hidden = !this.shown.length;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    this.point(0);
  }

  point(index) {
    this.at = index;
    const chosen = this.list.children[index];
    for (const each of this.list.children) each.setAttribute("aria-selected", String(each === chosen));
    if (chosen) this.field.setAttribute("aria-activedescendant", chosen.id);
    else this.field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    const count = this.shown.length;
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1 }[event.key];
    if (to !== undefined && count) this.point((to + count) % count);
    else if (event.key === "Enter") this.choose(this.list.children[this.at]);
    else return;
    event.preventDefault();
  }

  choose(option) {
    const chosen = option && this.shown[[...this.list.children].indexOf(option)];
    if (!chosen) return;
    this.dialog.close();
    chosen.run();
  }
}

const palette = new Palette();

/** Open the palette. */
export function openPalette() {
  palette.open();
}
