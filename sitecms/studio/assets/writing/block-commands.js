// Blocks of rich text as a whole: the one with the cursor, moved, copied, deleted, and a paragraph below it.

import { NodeSelection, TextSelection } from "../vendor/prosemirror.js";
import { schema } from "./schema.js";

const { nodes } = schema;

/** Return the position of the block that is selected or has the cursor: one of the text, or of a block in it. */
export function blockAt({ doc, selection }) {
  const { $from, node } = selection;
  if (node?.isBlock) return selection.from;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const parent = $from.node(depth - 1);
    if (parent === doc || parent.type === nodes.directive) return $from.before(depth);
  }
  return null;
}

/** Return a command that moves the block at a position by one place within what it stands in; `by` is 1 or -1. */
export function moveBlock(position, by) {
  return (state, dispatch) => {
    const $at = state.doc.resolve(position);
    const { parent } = $at;
    const node = $at.nodeAfter;
    const index = $at.index() + by;
    if (!node || index < 0 || index >= parent.childCount) return false;
    const to = by < 0 ? position - parent.child(index).nodeSize : position + parent.child(index).nodeSize;
    const { selection } = state;
    const tr = state.tr.delete(position, position + node.nodeSize).insert(to, node);
    const isWithin = selection instanceof TextSelection && selection.from > position && selection.to < position + node.nodeSize;
    const [anchor, head] = [selection.anchor, selection.head].map((each) => each - position + to);
    tr.setSelection(isWithin ? TextSelection.create(tr.doc, anchor, head) : NodeSelection.create(tr.doc, to));
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

/** Return the command that moves the block with the cursor. */
export function moveCurrent(by) {
  return (state, dispatch) => {
    const position = blockAt(state);
    if (position !== null) moveBlock(position, by)(state, dispatch);
    return position !== null;
  };
}

/** Return a command that inserts a copy of the block below it. */
export function duplicateBlock(position) {
  return (state, dispatch) => {
    const node = state.doc.nodeAt(position);
    const at = position + node.nodeSize;
    const tr = state.tr.insert(at, node.type.create(withoutId(node.attrs), node.content, node.marks));
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, at)).scrollIntoView());
    return true;
  };
}

/** Return the attributes of a node without the id, which is that of one element. */
function withoutId(attrs) {
  if (!attrs.attributes?.id) return attrs;
  const { id, ...rest } = attrs.attributes;
  return { ...attrs, attributes: Object.keys(rest).length ? rest : null };
}

/** Return a command that deletes the block; what it stands in goes on with an empty paragraph if it was alone. */
export function deleteBlock(position) {
  return (state, dispatch) => {
    const $at = state.doc.resolve(position);
    const end = position + $at.nodeAfter.nodeSize;
    const isAlone = $at.parent.childCount === 1;
    const tr = isAlone ? state.tr.replaceWith(position, end, nodes.paragraph.create()) : state.tr.delete(position, end);
    const near = tr.doc.resolve(Math.min(position, tr.doc.content.size));
    dispatch?.(tr.setSelection(TextSelection.near(near, 1)).scrollIntoView());
    return true;
  };
}

/** Return a command that goes on in a new paragraph below the block, in the block itself if it is an empty paragraph. */
export function writeBelow(position) {
  return (state, dispatch) => {
    const node = state.doc.nodeAt(position);
    const isEmpty = node.type === nodes.paragraph && node.content.size === 0;
    const at = isEmpty ? position : position + node.nodeSize;
    const tr = isEmpty ? state.tr : state.tr.insert(at, nodes.paragraph.create());
    dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
    return true;
  };
}
