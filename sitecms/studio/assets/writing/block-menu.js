// The menu of blocks that `/` opens at the beginning of an empty paragraph, and `+` below a block.

import { withoutGroups } from "./block-choice.js";
import { blockAt, writeBelow } from "./block-commands.js";
import { insertNew, insertSource } from "./block-editing.js";
import { blockForms } from "./block-form.js";
import { around, setStyle, toggleList, toggleQuote } from "./commands.js";
import { directiveName } from "./directives.js";
import { make, newId } from "./elements.js";
import { _ } from "../texts.js";
import { Gutter } from "./gutter.js";
import { fragmentOf } from "./html.js";
import { schema } from "./schema.js";

const { nodes } = schema;
const GAP = 4;
const LEAST_ROOM = 260;
const TYPED = /^\/([\p{L}\d ]{0,20})$/u;

/** Return the typed words behind `/`, or without it where the menu was opened, null where no menu is to be shown. */
function typedIn(state, isOpened) {
  const { $from, empty } = state.selection;
  const { parent, parentOffset } = $from;
  if (!empty || !isBlockPlace($from) || parent.type !== nodes.paragraph || parentOffset !== parent.content.size) return null;
  return TYPED.exec(isOpened ? `/${parent.textContent.replace(/^\//, "")}` : parent.textContent)?.[1].toLowerCase() ?? null;
}

/** Return whether blocks may stand where the cursor is: in the text, or in a block whose content is formatted in place. */
function isBlockPlace($at) {
  return $at.depth === 1 || ($at.depth > 1 && $at.node(-1).type === nodes.directive);
}

class BlockMenu {
  constructor(view, blocks) {
    this.view = view;
    this.blocks = blocks;
    this.at = 0;
    this.closedFor = null;
    this.openedAt = null;
    this.id = newId("blocks");
    this.dom = make("ul", { id: this.id, className: "slash", role: "listbox", ariaLabel: _("Blocks"), tabIndex: 0, hidden: true });
    // The text keeps the focus.
    this.dom.addEventListener("pointerdown", (event) => event.preventDefault());
    this.dom.addEventListener("click", (event) => this.choose([...this.dom.children].indexOf(event.target.closest("li"))));
    view.dom.parentNode.append(this.dom);
    view.dom.addEventListener("blur", () => this.hide());
    this.gutter = new Gutter(view, (position) => this.openBelow(position));
    this.update(view);
  }

  /** Show all blocks for the paragraph below a block. */
  openBelow(position = blockAt(this.view.state)) {
    if (position !== null) writeBelow(position)(this.view.state, this.view.dispatch);
    this.view.focus();
    this.openedAt = blockAt(this.view.state);
    this.update(this.view);
  }

  get isOpen() {
    return !this.dom.hidden;
  }

  update(view) {
    this.gutter.update();
    if (this.openedAt !== blockAt(view.state)) this.openedAt = null;
    const typed = typedIn(view.state, this.openedAt !== null);
    if (typed === null) this.closedFor = null;
    if (typed === null || this.closedFor !== null || !view.hasFocus()) return this.hide();
    const words = typed.trim();
    const place = ([name, more]) => [name.toLowerCase().startsWith(words), name.toLowerCase().includes(words), more.toLowerCase().includes(words)].indexOf(true);
    const here = this.blocks.filter((block) => place(block) >= 0 && (block[3]?.(view.state) ?? true));
    this.shown = here.sort((one, other) => place(one) - place(other));
    if (!this.shown.length) return this.hide();
    this.dom.replaceChildren(...this.shown.map(([name], index) => make("li", { id: `${this.id}-${index}`, role: "option" }, name)));
    if (this.dom.hidden) this.makeRoom();
    this.dom.hidden = false;
    this.place();
    return this.point(0);
  }

  /** Scroll the line to the middle of the window if there is little room below and above it. */
  makeRoom() {
    const { top, bottom } = this.view.coordsAtPos(this.view.state.selection.from);
    const bar = document.querySelector(".doing")?.getBoundingClientRect().bottom ?? 0;
    if (Math.max(innerHeight - bottom, top - bar) < LEAST_ROOM || bottom > innerHeight) {
      this.view.domAtPos(this.view.state.selection.from).node.scrollIntoView({ block: "center", behavior: "instant" });
    }
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
    // The list alone is scrolled, not the page.
    const { offsetTop, offsetHeight } = this.dom.children[index];
    const { scrollTop, clientHeight } = this.dom;
    this.dom.scrollTop = Math.min(offsetTop, Math.max(scrollTop, offsetTop + offsetHeight - clientHeight));
  }

  pressed(event) {
    if (!this.isOpen) return false;
    const count = this.shown.length;
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1 }[event.key];
    if (to !== undefined) this.point((to + count) % count);
    else if (event.key === "Enter" || event.key === "Tab") this.choose(this.at);
    else if (event.key === "Escape") {
      this.closedFor = true;
      this.openedAt = null;
      this.hide();
    } else return false;
    return true;
  }

  /** Take the typed signs away, and make the block. */
  choose(index) {
    const chosen = this.shown?.[index];
    if (!chosen) return;
    this.hide();
    this.openedAt = null;
    const { $from } = this.view.state.selection;
    this.view.dispatch(this.view.state.tr.delete($from.start(), $from.end()));
    this.view.focus();
    chosen[2](this.view);
  }

  destroy() {
    this.dom.remove();
    this.gutter.destroy();
  }
}

/** Return a function that says whether the cursor is in a block of that directive, any place for "". */
function within(parent) {
  if (!parent) return undefined;
  return (state) => {
    const outer = around(state, nodes.directive);
    return Boolean(outer) && directiveName(fragmentOf(outer.node.attrs.prefix).firstElementChild) === parent;
  };
}

/** Return the blocks that the site has: name, words that find it, what inserts it, and whether it can be inserted. */
async function siteBlocks() {
  const all = [...(await blockForms().catch(() => new Map())).values()];
  const parents = new Map(all.map(({ name, parent }) => [name, parent]));
  return withoutGroups(all).map(({ name, label, keywords }) => [label, keywords, (view) => insertNew(view, name), within(parents.get(name))]);
}

/** Return the menu of an editor; `acts` are functions of the editor that ask something. */
export async function openMenu(view, acts) {
  const run = (command) => ({ state, dispatch }) => command(state, dispatch);
  return new BlockMenu(view, [
    [_("Heading 2"), "h2 title", run(setStyle("h2"))], [_("Heading 3"), "h3", run(setStyle("h3"))],
    [_("List"), "bullets", run(toggleList(nodes.bullet_list))], [_("Numbered list"), "ordered 1", run(toggleList(nodes.ordered_list))],
    [_("Quotation"), "quote", run(toggleQuote)], [_("Code"), "source pre", run(setStyle("code"))],
    [_("Picture"), "image photo", acts.picture], [_("Table"), "rows columns", acts.table], [_("Dividing line"), "rule hr", acts.rule],
    ...await siteBlocks(), [_("HTML"), "source markup", insertSource],
  ]);
}
