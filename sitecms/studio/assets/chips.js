// Categories and tags as chips: names are typed with suggestions, or chosen by arrows and Enter; Backspace in the empty
// field removes the last one. The fields of the form keep the names, one on each line, and are all there is without
// this script.

import { _ } from "./texts.js";
import { make, newId } from "./writing/elements.js";

const MOST = 8;

/** Return the names in a text that has one on each line. */
const namesIn = (text) => [...new Set(text.split("\n").map((name) => name.trim()).filter(Boolean))];

/** Return a name as names are compared. */
const folded = (name) => name.trim().toLowerCase();

class Chooser {
  /** `field` has `read` and `write` for its names, and the names that there are (`known`). */
  constructor(label, field, places) {
    this.field = field;
    this.at = -1;
    this.list = make("ul", { className: "chips" });
    this.options = make("ul", { id: newId("names"), role: "listbox", hidden: true, ariaLabel: label });
    this.input = make("input", { id: newId("name"), type: "text", role: "combobox", autocomplete: "off" });
    for (const [name, value] of [["autocomplete", "list"], ["expanded", "false"], ["controls", this.options.id], ["label", label]]) {
      this.input.setAttribute(`aria-${name}`, value);
    }
    if (places) this.input.setAttribute("aria-describedby", places);
    this.state = make("p", { className: "hidden", role: "status" });
    this.dom = make("div", { className: "chooser" }, this.list, this.input, this.options, this.state);
    this.input.addEventListener("input", (event) => (event.stopPropagation(), this.suggest()));
    this.input.addEventListener("change", (event) => event.stopPropagation());
    this.input.addEventListener("click", () => this.suggest());
    this.input.addEventListener("blur", () => this.left());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.show();
  }

  /** Show the names that the fields of the form have. */
  show() {
    this.list.replaceChildren(...this.field.read().map((name) => {
      const remove = make("button", { type: "button", ariaLabel: _("Remove %(name)s", { name }) }, "×");
      remove.addEventListener("click", () => this.remove(name));
      return make("li", {}, name, remove);
    }));
  }

  suggest() {
    const words = folded(this.input.value);
    const chosen = new Set(this.field.read().map(folded));
    const found = this.field.known.filter((name) => folded(name).includes(words) && !chosen.has(folded(name)));
    found.sort((one, other) => folded(other).startsWith(words) - folded(one).startsWith(words));
    this.at = -1;
    this.options.replaceChildren(...found.slice(0, MOST).map((name) => {
      const option = make("li", { id: newId("name"), role: "option", ariaSelected: "false" }, name);
      // The field keeps the focus.
      option.addEventListener("mousedown", (event) => event.preventDefault());
      option.addEventListener("click", () => this.add(name));
      return option;
    }));
    this.open(found.length > 0);
  }

  open(isOpen) {
    this.options.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) return;
    this.at = -1;
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Go to another suggestion, and round at the ends. */
  move(step) {
    const options = [...this.options.children];
    if (this.options.hidden || !options.length) return this.suggest();
    this.at = (this.at + step + options.length + (this.at < 0 && step < 0 ? 1 : 0)) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === this.at)));
    this.input.setAttribute("aria-activedescendant", options[this.at].id);
    return options[this.at].scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const option = this.options.hidden ? null : this.options.children[this.at];
    if (event.key === "ArrowDown") this.move(1);
    else if (event.key === "ArrowUp") this.move(-1);
    else if (event.key === "Enter" || event.key === ",") this.add(option?.textContent ?? this.input.value);
    else if (event.key === "Escape" && !this.options.hidden) this.open(false);
    else if (event.key === "Backspace" && !this.input.value && this.field.read().length) this.remove(this.field.read().at(-1));
    else return;
    event.preventDefault();
  }

  add(name) {
    const known = this.field.known.find((each) => folded(each) === folded(name)) ?? name.trim();
    const names = this.field.read();
    this.input.value = "";
    if (known && !names.some((each) => folded(each) === folded(known))) {
      this.write([...names, known]);
      this.state.textContent = _("Added: %(name)s", { name: known });
    }
    this.open(false);
  }

  remove(name) {
    this.write(this.field.read().filter((each) => each !== name));
    this.state.textContent = _("Removed: %(name)s", { name });
    this.input.focus();
  }

  write(names) {
    this.field.write(names);
    this.show();
  }

  /** A name that was typed and not entered counts. */
  left() {
    if (this.input.value.trim()) this.add(this.input.value);
    this.open(false);
  }
}

/** Say that a control was changed, as typing in it would. */
function changed(control) {
  control.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Put chips in the place of a text area of names; the names that there are stand in a list beside it. */
function startNames(area, title) {
  const label = area.labels[0];
  const read = () => namesIn(area.value);
  const known = [...area.closest(".field").parentElement.querySelectorAll("datalist option")].map(({ value }) => value);
  const write = (names) => {
    area.value = names.join("\n");
    changed(area);
  };
  const chooser = new Chooser(title, { read, write, known }, "");
  label.textContent = title;
  label.htmlFor = chooser.input.id;
  area.hidden = true;
  area.before(chooser.dom);
  area.parentElement.querySelector(".help")?.remove();
  area.addEventListener("input", () => chooser.show());
}

/** Put chips in the place of the boxes of categories, and of the field for new ones. */
function startCategories(area) {
  const card = area.closest("fieldset");
  const boxes = [...card.querySelectorAll("[name=categories]")];
  const isNew = (name) => !boxes.some(({ value }) => value === name);
  const read = () => [...boxes.filter(({ checked }) => checked).map(({ value }) => value), ...namesIn(area.value)];
  const write = (names) => {
    for (const box of boxes) box.checked = names.includes(box.value);
    area.value = names.filter(isNew).join("\n");
    changed(area);
  };
  const chooser = new Chooser(_("Categories"), { read, write, known: boxes.map(({ value }) => value) }, "");
  for (const each of [card.querySelector(".checks"), area.closest(".field")]) if (each) each.hidden = true;
  card.append(chooser.dom);
  area.addEventListener("input", () => chooser.show());
}

const form = document.querySelector("form.editor");
const { tags, new_categories: categories } = form.elements;
if (tags && !tags.matches(":disabled")) startNames(tags, _("Tags"));
for (const area of form.querySelectorAll("[data-names]:not(:disabled)")) startNames(area, area.dataset.names);
if (categories && !categories.matches(":disabled")) startCategories(categories);
