// The menu of blocks that `/` opens at the beginning of an empty paragraph. The toolbar has the same blocks.

import { Plugin } from "../vendor/prosemirror.js";
import { setStyle, toggleList, toggleQuote } from "./commands.js";
import { make, newId } from "./elements.js";
import { schema } from "./schema.js";

const { nodes } = schema;
const GAP = 4;
const TYPED = /^\/([\p{L}\d ]{0,20})$/u;

/** Return the typed words behind `/`, null where no menu is to be shown. */
function typedIn(state) {
  const { $from, empty } = state.selection;
  if (!empty || $from.depth !== 1 || $from.parent.type !== nodes.paragraph || $from.parentOffset !== $from.parent.content.size) return null;
  return TYPED.exec($from.parent.textContent)?.[1].toLowerCase() ?? null;
}

class SlashMenu {
  constructor(view, blocks) {
    this.view = view;
    this.blocks = blocks;
    this.at = 0;
    this.closedFor = null;
    this.id = newId("blocks");
    this.dom = make("ul", { id: this.id, className: "slash", role: "listbox", ariaLabel: "Blocks", hidden: true });
    // The text keeps the focus.
    this.dom.addEventListener("pointerdown", (event) => event.preventDefault());
    this.dom.addEventListener("click", (event) => this.choose([...this.dom.children].indexOf(event.target.closest("li"))));
    view.dom.parentNode.append(this.dom);
    view.dom.addEventListener("blur", () => this.hide());
  }

  get isOpen() {
    return !this.dom.hidden;
  }

  update(view) {
    const typed = typedIn(view.state);
    if (typed === null) this.closedFor = null;
    if (typed === null || this.closedFor !== null || !view.hasFocus()) return this.hide();
    this.shown = this.blocks.filter(([name, more]) => `${name} ${more}`.toLowerCase().includes(typed.trim()));
    if (!this.shown.length) return this.hide();
    this.dom.replaceChildren(...this.shown.map(([name], index) => make("li", { id: `${this.id}-${index}`, role: "option" }, name)));
    this.dom.hidden = false;
    this.point(0);
    return this.place();
  }

  /** Show the menu below the line, or above it where the window has more room, within the frame and below the bars. */
  place() {
    const { left, top, bottom } = this.view.coordsAtPos(this.view.state.selection.from);
    const frame = this.dom.offsetParent.getBoundingClientRect();
    const bars = [...document.querySelectorAll(".doing, .bars")].map((each) => each.getBoundingClientRect().bottom);
    const above = top - Math.max(0, ...bars.filter((edge) => edge < top)) - 2 * GAP;
    const below = innerHeight - bottom - 2 * GAP;
    this.dom.style.maxBlockSize = "";
    const isBelow = this.dom.offsetHeight <= below || below >= above;
    this.dom.style.maxBlockSize = `${Math.max(0, isBelow ? below : above)}px`;
    const start = isBelow ? bottom + GAP : top - GAP - this.dom.offsetHeight;
    this.dom.style.insetBlockStart = `${start - frame.top}px`;
    this.dom.style.insetInlineStart = `${Math.max(4, Math.min(left - frame.left, frame.width - this.dom.offsetWidth - 4))}px`;
  }

  hide() {
    if (this.dom.hidden) return;
    this.dom.hidden = true;
    this.view.dom.removeAttribute("aria-activedescendant");
    this.view.dom.removeAttribute("aria-controls");
  }

  point(index) {
    this.at = index;
    [...this.dom.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === index)));
    this.view.dom.setAttribute("aria-controls", this.id);
    this.view.dom.setAttribute("aria-activedescendant", this.dom.children[index].id);
    this.dom.children[index].scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (!this.isOpen) return false;
    const count = this.shown.length;
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1 }[event.key];
    if (to !== undefined) this.point((to + count) % count);
    else if (event.key === "Enter" || event.key === "Tab") this.choose(this.at);
    else if (event.key === "Escape") {
      this.closedFor = true;
      this.hide();
    } else return false;
    return true;
  }

  /** Take the typed signs away, and make the block. */
  choose(index) {
    const chosen = this.shown?.[index];
    if (!chosen) return;
    this.hide();
    const { $from } = this.view.state.selection;
    this.view.dispatch(this.view.state.tr.delete($from.start(), $from.end()));
    chosen[2](this.view);
    this.view.focus();
  }

  destroy() {
    this.dom.remove();
  }
}

/** Return the plugin of the menu; `acts` are functions of the editor that ask something. */
export function slashMenu(acts) {
  const run = (command) => (view) => command(view.state, view.dispatch);
  const blocks = [
    ["Heading 2", "h2 title", run(setStyle("h2"))], ["Heading 3", "h3", run(setStyle("h3"))],
    ["List", "bullets", run(toggleList(nodes.bullet_list))], ["Numbered list", "ordered 1", run(toggleList(nodes.ordered_list))],
    ["Quotation", "quote", run(toggleQuote)], ["Code", "source pre", run(setStyle("code"))],
    ["Picture", "image photo", acts.picture], ["Table", "rows columns", acts.table], ["Dividing line", "rule hr", acts.rule],
  ];
  let menu = null;
  return new Plugin({
    view: (view) => {
      menu = new SlashMenu(view, blocks);
      return menu;
    },
    props: { handleKeyDown: (_view, event) => menu?.pressed(event) ?? false },
  });
}
