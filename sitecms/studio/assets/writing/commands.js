// What toolbar, keys and typed signs do in rich text.

import {
  baseKeymap, chainCommands, Decoration, DecorationSet, exitCode, goToNextCell, InputRule, inputRules, isInTable, keymap, lift, liftListItem, Plugin, redo,
  selectParentNode, setBlockType, sinkListItem, splitBlockAs, splitListItem, textblockTypeInputRule, TextSelection, toggleMark, undo,
  undoInputRule, wrapIn, wrapInList,
} from "../vendor/prosemirror.js";
import { make } from "./elements.js";
import { schema } from "./schema.js";
import { _ } from "../texts.js";

const { nodes, marks } = schema;

/** Run a command on the document as a transaction leaves it, and add what it does to the transaction. */
function andThen(state, tr, command) {
  command(state.apply(tr), (more) => {
    for (const step of more.steps) tr.step(step);
    tr.setSelection(TextSelection.create(tr.doc, more.selection.anchor, more.selection.head));
  });
  return tr;
}

/** Return the node of a type around the selection, with its position, or null. */
export function around(state, ...types) {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    if (types.includes($from.node(depth).type)) return { node: $from.node(depth), position: $from.before(depth) };
  }
  return null;
}

/** Make new items of lists plain lines, as people write lists; paragraphs in items that were there stay. */
function tighten(tr) {
  const { from, to } = tr.selection;
  tr.doc.nodesBetween(from, to, (node, position, parent, index) => {
    const isPlain = node.type === nodes.paragraph && !node.attrs.attributes;
    if (isPlain && index === 0 && parent.type === nodes.list_item) tr.setNodeMarkup(position, nodes.line);
  });
  return tr;
}

/** Make the blocks a list of that type, change the type of the list they are in, or take them out of it. */
export function toggleList(type) {
  return (state, dispatch) => {
    const list = around(state, nodes.bullet_list, nodes.ordered_list);
    if (!list) return wrapInList(type)(state, dispatch && ((tr) => dispatch(tighten(tr))));
    if (list.node.type === type) return liftListItem(nodes.list_item)(state, dispatch);
    dispatch?.(state.tr.setNodeMarkup(list.position, type));
    return true;
  };
}

/** Put the blocks into a quotation, or take them out of it. */
export function toggleQuote(state, dispatch) {
  return around(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch);
}

/** Make the blocks paragraphs, headings or code; in items of lists, paragraphs are lines. */
export function setStyle(style) {
  if (style === "paragraph") return chainCommands(setBlockType(nodes.paragraph), setBlockType(nodes.line));
  if (style === "code") return setBlockType(nodes.code_block);
  return setBlockType(nodes.heading, { level: Number(style.slice(1)) });
}

/** Return the style of the block with the cursor: `paragraph`, `h2`, `code`, or "" for anything else. */
export function styleOf(state) {
  const { parent } = state.selection.$from;
  if (parent.type === nodes.heading) return `h${parent.attrs.level}`;
  return { paragraph: "paragraph", line: "paragraph", code_block: "code" }[parent.type.name] ?? "";
}

/**
 * Insert a block below the one with the cursor, instead of it if it is an empty paragraph. What is typed next goes to the
 * `start` or the `end` of the block, or `below` it.
 */
export function insertBlock(node, next = "below") {
  return (state, dispatch) => {
    const { $from } = state.selection;
    const depth = Math.min($from.depth, 1);
    if (!dispatch) return true;
    const isEmpty = depth === 1 && $from.parent.content.size === 0 && $from.depth === 1;
    const from = depth === 0 ? $from.pos : isEmpty ? $from.before(1) : $from.after(1);
    const tr = state.tr.replaceWith(from, isEmpty ? $from.after(1) : from, node);
    const end = from + node.nodeSize;
    if (next === "below" && tr.doc.resolve(end).nodeAfter?.content.size !== 0) tr.insert(end, nodes.paragraph.create());
    const at = { start: from + 1, end: end - 1, below: end }[next];
    dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(at), next === "end" ? -1 : 1)).scrollIntoView());
    return true;
  };
}

/** Return a table of empty cells, the first row of which is the head. */
export function newTable(rows, columns) {
  const cell = (type) => type.create(null, nodes.line.create());
  const row = (type) => nodes.table_row.create(null, Array.from({ length: columns }, () => cell(type)));
  return nodes.table.create(null, [row(nodes.table_header), ...Array.from({ length: rows - 1 }, () => row(nodes.table_cell))]);
}

/** Return a figure with a picture. */
export function newFigure({ url, alt, caption = "", place = "", link = "" }) {
  const picture = nodes.picture.create({ attributes: { src: url, alt }, link: link ? { href: link } : null });
  return nodes.figure.create(place ? { attributes: { class: place } } : null, [picture, nodes.caption.create(null, caption ? schema.text(caption) : null)]);
}

/** Return the range and the attributes of the link with the cursor or the selection, or null. */
export function linkAt(state) {
  const { $from, from, to, empty } = state.selection;
  const find = ($position) => {
    const mark = marks.link.isInSet($position.marks()) ?? ($position.nodeAfter && marks.link.isInSet($position.nodeAfter.marks));
    if (!mark) return null;
    const { parent } = $position;
    let start = $position.start();
    let found = null;
    parent.forEach((child) => {
      const has = mark.isInSet(child.marks);
      const at = start;
      start += child.nodeSize;
      if (!has) return;
      if (found?.to === at) found.to = start;
      else if (!found || found.to < $position.pos) found = { from: at, to: start };
    });
    return found && found.from <= $position.pos && found.to >= $position.pos ? { ...found, attributes: mark.attrs.attributes } : null;
  };
  const link = find($from);
  return link && (empty || (link.from <= from && link.to >= to)) ? link : null;
}

function splitAttributes(node) {
  if (!node.attrs.attributes?.id) return null;
  const { id, ...rest } = node.attrs.attributes;
  return { type: node.type, attrs: { ...node.attrs, attributes: Object.keys(rest).length ? rest : null } };
}

/** Split the block with the cursor; the second half has no id of the first. */
const split = splitBlockAs((node, atEnd) => (atEnd ? null : splitAttributes(node)));

/** Take an item out of its list with Backspace at its beginning. */
function liftAtStart(state, dispatch) {
  const { $from, empty } = state.selection;
  const item = around(state, nodes.list_item);
  if (!empty || !item || $from.parentOffset > 0 || $from.before() !== item.position + 1) return false;
  return liftListItem(nodes.list_item)(state, dispatch);
}

/** Make a paragraph that is three backticks, and perhaps the name of a language, a block of code. */
function beginCode(state, dispatch) {
  const { $from, empty } = state.selection;
  const fence = /^```([\w+#.-]*)$/.exec($from.parent.textContent);
  if (!empty || !fence || $from.parent.type !== nodes.paragraph) return false;
  const code = fence[1] ? { class: `language-${fence[1].toLowerCase()}` } : null;
  const tr = state.tr.delete($from.start(), $from.end());
  dispatch?.(tr.setBlockType($from.start(), $from.start(), nodes.code_block, { code }));
  return true;
}

function hardBreak(state, dispatch) {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
}

/** Break the line of a table cell: two lines in a cell would be read as one. */
function breakInCell(state, dispatch) {
  const { $from } = state.selection;
  const isPlain = $from.parent.type === nodes.line && /^table_/.test($from.node(-1).type.name);
  return isPlain && hardBreak(state, dispatch);
}

/** Go on above the first or below the last block with an arrow key where nothing else is beyond it. */
function beyond(direction) {
  const isDown = direction === "down";
  return (state, dispatch, view) => {
    const { $from, empty } = state.selection;
    const block = $from.depth > 0 && $from.node(1);
    if (!empty || !block || ![nodes.code_block, nodes.table, nodes.figure, nodes.blockquote, nodes.directive].includes(block.type)) return false;
    if (block !== (isDown ? state.doc.lastChild : state.doc.firstChild)) return false;
    const isAtEdge = block.type === nodes.table
      ? $from.index(1) === (isDown ? block.childCount - 1 : 0)
      : isDown ? $from.end() + $from.depth - 1 === $from.end(1) : block.type === nodes.figure || $from.start() - $from.depth + 1 === $from.start(1);
    if (!isAtEdge || !view?.endOfTextblock(direction)) return false;
    const at = isDown ? $from.after(1) : $from.before(1);
    const tr = state.tr.insert(at, nodes.paragraph.create());
    dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
    return true;
  };
}

/** Take the place of the cursor from the page. */
function takeCursor(view) {
  const { doc, selection, tr } = view.state;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = view.root.getSelection();
  const isHere = view.dom.contains(anchorNode) && view.dom.contains(focusNode);
  if (view.composing || !isHere || !(selection instanceof TextSelection)) return;
  const [anchor, head] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)];
  const isText = [anchor, head].every((position) => position >= 0 && doc.resolve(position).parent.inlineContent);
  const isMoved = anchor !== selection.anchor || head !== selection.head;
  if (isText && isMoved) view.dispatch(tr.setSelection(TextSelection.create(doc, anchor, head)));
}

/**
 * Return the plugin that takes the place of the cursor from the page before a key that depends on it, and before pasting:
 * in a busy browser it may have moved and not said so yet, and the browser would then join blocks by itself.
 */
export function cursorOfPage() {
  return new Plugin({
    props: {
      handleKeyDown: (view, { key }) => /^(Backspace|Delete|Enter|Arrow(Up|Down))$/.test(key) && (takeCursor(view), false),
      handleDOMEvents: { paste: (view) => (takeCursor(view), false) },
    },
  });
}

/** Redo, or do nothing: without anything to redo the key must not go on to one that undoes. */
const redoOnly = (...parts) => redo(...parts) || true;

/**
 * Return the keys as a plugin in which a letter with Ctrl and Shift has its own effect or none. A keymap alone tries
 * the letter without Shift next, so that Ctrl Shift I would be italic. Signs keep that: some keyboards need Shift for them.
 */
function strictKeymap(bindings) {
  const shifted = Object.entries(bindings).filter(([name]) => name.startsWith("Shift-Mod-"));
  const [all, withShift] = [bindings, Object.fromEntries(shifted)].map((each) => keymap(each).props.handleKeyDown);
  const isShiftedLetter = ({ key, shiftKey, ctrlKey, metaKey }) => shiftKey && (ctrlKey || metaKey) && /^[a-z]$/i.test(key);
  return new Plugin({
    props: { handleKeyDown: (view, event) => (isShiftedLetter(event) ? withShift : all)(view, event) },
  });
}

/** Return the keys; `acts` are functions of the editor that ask something. */
export function keys(acts) {
  const item = nodes.list_item;
  const own = {
    "Mod-b": toggleMark(marks.strong), "Mod-i": toggleMark(marks.em), "Mod-`": toggleMark(marks.code),
    "Mod-k": () => acts.link() || true, "Alt-F10": () => acts.toToolbar() || true, Escape: () => acts.toToolbar() || true,
    "Mod-z": chainCommands(undoInputRule, undo), "Mod-y": redoOnly, "Shift-Mod-z": redoOnly,
    "Mod-Alt-0": setStyle("paragraph"), "Mod-Alt-2": setStyle("h2"), "Mod-Alt-3": setStyle("h3"), "Mod-Alt-4": setStyle("h4"),
    "Shift-Ctrl-8": toggleList(nodes.bullet_list), "Shift-Ctrl-9": toggleList(nodes.ordered_list), "Shift-Ctrl-.": toggleQuote,
    "Mod-[": liftListItem(item), "Mod-]": sinkListItem(item), "Alt-ArrowUp": selectParentNode,
    "Shift-Alt-ArrowUp": moveCurrent(-1), "Shift-Alt-ArrowDown": moveCurrent(1),
    Backspace: chainCommands(undoInputRule, liftAtStart),
    ArrowDown: beyond("down"), ArrowUp: beyond("up"),
    Enter: chainCommands(beginCode, breakInCell, splitListItem(item), (state, dispatch) => {
      const { parent } = state.selection.$from;
      return parent.content.size === 0 && Boolean(around(state, item)) && liftListItem(item)(state, dispatch);
    }, leaveCaption, leaveBlock),
    "Shift-Enter": chainCommands(exitCode, hardBreak), "Mod-Enter": chainCommands(exitCode, hardBreak),
    Tab: (state, dispatch) => isInTable(state) && goToNextCell(1)(state, dispatch),
    "Shift-Tab": (state, dispatch) => isInTable(state) && goToNextCell(-1)(state, dispatch),
  };
  const enter = (state, dispatch) => (state.selection.$from.parent.attrs.attributes?.id ? split : baseKeymap.Enter)(state, dispatch);
  return [strictKeymap(own), strictKeymap({ ...baseKeymap, Enter: enter })];
}

/** Leave a block with Enter in an empty paragraph at its end. */
function leaveBlock(state, dispatch) {
  const { $from, empty } = state.selection;
  const outer = $from.depth > 1 && $from.node(-1);
  if (!empty || !outer || outer.type !== nodes.directive || $from.parent.type !== nodes.paragraph || $from.parent.content.size) return false;
  if (outer.childCount < 2 || $from.index(-1) !== outer.childCount - 1) return false;
  const tr = state.tr.delete($from.before(), $from.after());
  const at = tr.mapping.map($from.after(-1));
  tr.insert(at, nodes.paragraph.create());
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
  return true;
}

/** Return the command that moves the block with the cursor up (-1) or down (1). */
function moveCurrent(by) {
  return (_state, _dispatch, view) => {
    void import("./block-commands.js").then(({ moveCurrent: move }) => move(by)(view.state, view.dispatch));
    return true;
  };
}

/** Go on below a figure with Enter in its caption. */
function leaveCaption(state, dispatch) {
  const figure = around(state, nodes.figure);
  if (!figure) return false;
  const at = figure.position + figure.node.nodeSize;
  const tr = state.tr.insert(at, nodes.paragraph.create());
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
  return true;
}

/** Return a rule that makes typed signs around words a mark. */
function markRule(pattern, mark, attributes = null) {
  return new InputRule(pattern, (state, match, start, end) => {
    const [whole, words] = match;
    const from = start + whole.length - whole.trimStart().length;
    if (!words || state.doc.rangeHasMark(start, end, marks.code)) return null;
    return state.tr.insertText(words, from, end).addMark(from, from + words.length, mark.create(attributes)).removeStoredMark(mark);
  });
}

function wrapRule(pattern, command) {
  return new InputRule(pattern, (state, _match, start, end) => {
    if (around(state, nodes.list_item) || state.doc.resolve(start).parent.type !== nodes.paragraph) return null;
    return andThen(state, state.tr.delete(start, end), command);
  });
}

/** Return the rules for signs that are typed at the beginning of a block or around words, as Markdown has them. */
export function typedSigns() {
  return inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,4})\s$/, nodes.heading, (match) => ({ level: Math.max(2, match[1].length) })),
      wrapRule(/^[-*+]\s$/, toggleList(nodes.bullet_list)),
      wrapRule(/^1[.)]\s$/, toggleList(nodes.ordered_list)),
      wrapRule(/^>\s$/, toggleQuote),
      new InputRule(/^---$/, (state, _match, start) => {
        const $start = state.doc.resolve(start);
        if ($start.parent.type !== nodes.paragraph || $start.depth !== 1) return null;
        const tr = state.tr.replaceWith($start.before(), $start.after(), [nodes.horizontal_rule.create(), nodes.paragraph.create()]);
        return tr.setSelection(TextSelection.create(tr.doc, $start.before() + 2));
      }),
      markRule(/(?:^|\s)\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, marks.strong),
      markRule(/(?:^|\s)\*([^*\s](?:[^*]*[^*\s])?)\*$/, marks.em),
      markRule(/(?:^|\s)`([^`]+)`$/, marks.code),
      markRule(/(?:^|\s)~~([^~\s](?:[^~]*[^~\s])?)~~$/, marks.wrapper, { tag: "s" }),
      markRule(/(?:^|\s)==([^=\s](?:[^=]*[^=\s])?)==$/, marks.wrapper, { tag: "mark" }),
      new InputRule(/(?:^|\s)\[([^\]\n]+)\]\(([^()\s]+)\)$/, (state, [whole, words, href], start, end) => {
        const from = start + whole.length - whole.trimStart().length;
        const link = marks.link.create({ attributes: { href } });
        return state.tr.insertText(words, from, end).addMark(from, from + words.length, link).removeStoredMark(link);
      }),
    ],
  });
}

const GHOSTS = { caption: _("Caption"), table_header: _("Heading") };
const foundGhosts = new WeakMap();

/** Return the empty captions and heads of columns within a block; each block is looked through once. */
function ghostsIn(block) {
  let found = foundGhosts.get(block);
  if (found) return found;
  found = [];
  block.descendants((node, at) => {
    const text = GHOSTS[node.type.name];
    const isCell = node.type === nodes.table_header;
    if (text && node.content.size === (isCell ? 2 : 0)) found.push({ at: at + (isCell ? 1 : 0), text });
    return !node.isTextblock;
  });
  foundGhosts.set(block, found);
  return found;
}

/** Return the plugin that says what empty captions and heads of columns are for. */
export function ghosts() {
  const ghost = (text) => () => make("span", { className: "ghost", contentEditable: "false" }, text);
  return new Plugin({
    props: {
      decorations(state) {
        const found = [];
        state.doc.forEach((node, position) => {
          if (node.isTextblock || node.isAtom) return;
          for (const { at, text } of ghostsIn(node)) {
            found.push(Decoration.widget(position + 1 + at, ghost(text), { key: text, side: -1 }));
          }
        });
        return found.length ? DecorationSet.create(state.doc, found) : DecorationSet.empty;
      },
    },
  });
}

/** Return the plugin that makes lines paragraphs where they stand outside of lists and tables. */
export function paragraphsOutside() {
  // Blocks without such lines.
  const seen = new WeakSet();
  return new Plugin({
    appendTransaction(transactions, _before, state) {
      if (!transactions.some((tr) => tr.docChanged)) return null;
      const { tr } = state;
      const visit = (node, position, parent) => {
        if (node.type === nodes.line && (parent === state.doc || parent.type === nodes.blockquote)) {
          tr.setNodeMarkup(position, nodes.paragraph);
        }
        return !node.isTextblock;
      };
      state.doc.forEach((block, position) => {
        if (seen.has(block)) return;
        const before = tr.steps.length;
        if (visit(block, position, state.doc)) block.descendants((node, at, parent) => visit(node, position + 1 + at, parent));
        if (tr.steps.length === before) seen.add(block);
      });
      return tr.docChanged ? tr : null;
    },
  });
}
