// Beside the block with the cursor or under the pointer: `+` to insert a block below it, and a handle by which it is
// dragged, and which shows buttons that move, copy and delete it.

import { NodeSelection } from "../vendor/prosemirror.js";
import { blockAt, deleteBlock, duplicateBlock, moveBlock } from "./block-commands.js";
import { iconButton, make } from "./elements.js";
import { _ } from "../texts.js";

export class Gutter {
  constructor(view, insertBelow) {
    this.view = view;
    this.position = null;
    const insert = iconButton("plus", _("Insert a block below"), () => insertBelow(this.position));
    this.handle = iconButton("handle", _("Move the block: drag it, or press for buttons"), () => this.choose());
    this.handle.draggable = true;
    this.handle.setAttribute("aria-expanded", "false");
    const act = (drawing, label, command) => iconButton(drawing, label, () => this.run(command));
    this.acts = make("div", { className: "block-acts", role: "group", ariaLabel: _("Block"), hidden: true },
      act("up", _("Move the block up"), (at) => moveBlock(at, -1)), act("down", _("Move the block down"), (at) => moveBlock(at, 1)),
      act("copy", _("Duplicate the block"), duplicateBlock), act("remove", _("Delete the block"), deleteBlock));
    this.dom = make("div", { className: "gutter", hidden: true }, insert, this.handle, this.acts);
    // A click with the mouse leaves the focus in the text.
    this.dom.addEventListener("pointerdown", (event) => event.target.closest(".block-acts, button") !== this.handle && event.preventDefault());
    this.dom.addEventListener("keydown", (event) => event.key === "Escape" && (this.fold(), view.focus()));
    this.handle.addEventListener("dragstart", (event) => this.drag(event));
    this.handle.addEventListener("dragend", () => (view.dragging = null));
    view.dom.before(this.dom);
    this.pointed = ({ clientX, clientY }) => this.point(clientX, clientY);
    view.dom.addEventListener("pointermove", this.pointed);
    this.update();
  }

  /** Stand beside the block with the cursor. */
  update() {
    if (this.isMoving) return;
    const position = blockAt(this.view.state);
    if (this.view.state.selection !== this.selection) this.fold();
    this.selection = this.view.state.selection;
    if (position !== this.position || this.dom.hidden) this.show(position); // measuring the page costs a key time
  }

  /** Stand beside the block under the pointer. */
  point(x, y) {
    if (!this.acts.hidden || this.view.dragging) return;
    const edge = this.view.dom.getBoundingClientRect();
    const found = this.view.posAtCoords({ left: Math.min(Math.max(x, edge.left + 50), edge.right - 20), top: y });
    if (!found) return;
    const $at = this.view.state.doc.resolve(found.inside >= 0 ? found.inside : found.pos);
    this.show($at.depth ? $at.before(1) : $at.nodeAfter ? $at.pos : null);
  }

  show(position) {
    const block = position === null ? null : this.view.nodeDOM(position);
    this.position = position;
    this.dom.hidden = !block?.getBoundingClientRect;
    if (this.dom.hidden) return;
    const top = block.getBoundingClientRect().top - this.view.dom.parentNode.getBoundingClientRect().top;
    this.dom.style.insetBlockStart = `${top}px`;
  }

  fold() {
    this.acts.hidden = true;
    this.handle.setAttribute("aria-expanded", "false");
  }

  /** Select the block, and show or hide what can be done with it. */
  choose() {
    const isShown = this.acts.hidden;
    const { state } = this.view;
    if (this.position === null || !NodeSelection.isSelectable(state.doc.nodeAt(this.position))) return;
    this.view.dispatch(state.tr.setSelection(NodeSelection.create(state.doc, this.position)));
    this.acts.hidden = !isShown;
    this.handle.setAttribute("aria-expanded", String(isShown));
  }

  run(command) {
    const button = document.activeElement;
    this.isMoving = true;
    command(this.position)(this.view.state, this.view.dispatch);
    this.isMoving = false;
    this.selection = this.view.state.selection;
    this.show(blockAt(this.view.state));
    if (this.dom.contains(button)) button.focus();
    else this.view.focus();
  }

  drag(event) {
    const { state } = this.view;
    const node = this.position !== null && state.doc.nodeAt(this.position);
    if (!node) return;
    const selection = NodeSelection.create(state.doc, this.position);
    this.view.dispatch(state.tr.setSelection(selection));
    const slice = selection.content();
    const { dom, text } = this.view.serializeForClipboard(slice);
    event.dataTransfer.clearData();
    event.dataTransfer.setData("text/html", dom.innerHTML);
    event.dataTransfer.setData("text/plain", text);
    event.dataTransfer.effectAllowed = "copyMove";
    const block = this.view.nodeDOM(this.position);
    if (block) event.dataTransfer.setDragImage(block, 0, 0);
    this.view.dragging = { slice, move: true };
  }

  destroy() {
    this.view.dom.removeEventListener("pointermove", this.pointed);
    this.dom.remove();
  }
}
