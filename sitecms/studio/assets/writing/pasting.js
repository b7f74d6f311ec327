// What pasted and dropped things become in rich text: each conversion is one step that can be undone by itself.

import { closeHistory, TextSelection } from "../vendor/prosemirror.js";
import { _, ngettext } from "../texts.js";
import { addressIn, become, isMarkdown } from "./addresses.js";
import { directiveText, linesOf, rendered } from "./block-form.js";
import { blockOf } from "./blocks.js";
import { insertBlock, newFigure } from "./commands.js";
import { directiveName } from "./directives.js";
import { cut, fragmentOf } from "./html.js";
import { cleanPasted, PastedPictures } from "./paste.js";
import { firstWords, offerCopies, offerGallery, settle } from "./pictures.js";
import { schema } from "./schema.js";
import { uploadAll } from "./upload.js";

const { nodes, marks } = schema;
const FORMATTED = /\sdata-pm-slice\b|<(a|b|blockquote|code|del|em|figure|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|pre|s|strong|su[bp]|table|u|ul)\b/i;

/** Paste into the text of an editor: `html` and `text` as the clipboard has them, `isPlain` without their formatting. */
export function paste(editor, { html, text, isPlain }) {
  const { view } = editor;
  if (isPlain || view.state.selection.$from.parent.type.spec.code) return view.pasteText(text);
  const address = /<img\b/i.test(html) ? "" : addressIn(text);
  if (address) return pasteAddress(editor, address);
  const pictures = new PastedPictures();
  const clean = cleanPasted(html, pictures);
  if (clean && (FORMATTED.test(clean) || !isMarkdown(text))) {
    view.pasteHTML(clean);
    return void settlePasted(editor, pictures);
  }
  return isMarkdown(text) ? void pasteMarkdown(editor, text) : view.pasteText(text);
}

/** Make a change that is one step of the history, whatever is typed before and after it. */
function step(view, change) {
  const tr = closeHistory(view.state.tr);
  change(tr);
  view.dispatch(tr);
  view.dispatch(closeHistory(view.state.tr));
}

/** Return the blocks of HTML. */
function blocksOf(html) {
  return (cut(html.trim())?.blocks ?? []).map(({ source, isLoose }) => blockOf(source, isLoose));
}

/** Make selected words a link to a pasted address; else insert the address, and ask what it may become if it stands alone. */
function pasteAddress(editor, address) {
  const { view } = editor;
  const { $from, $to, from, to, empty } = view.state.selection;
  const link = marks.link.create({ attributes: { href: address } });
  if (!empty && $from.sameParent($to) && $from.parent.inlineContent) {
    return step(view, (tr) => tr.removeMark(from, to, marks.link).addMark(from, to, link));
  }
  const isAlone = empty && $from.depth === 1 && $from.parent.type === nodes.paragraph && $from.parent.content.size === 0;
  step(view, (tr) => tr.insertText(address).scrollIntoView());
  const end = view.state.selection.from;
  step(view, (tr) => tr.addMark(end - address.length, end, link).removeStoredMark(marks.link));
  if (!isAlone) return undefined;
  const place = editor.keepPlace(end - address.length, end);
  const put = (blocks) => replaceBlock(editor, place, blocks);
  return void become(editor, address, ({ html }) => put(blocksOf(html)), ({ url, alt }) => put([newFigure({ url, alt })]));
}

/** Put blocks in the place of a paragraph that is still what was kept; return whether it was there. */
function replaceBlock(editor, place, blocks) {
  const range = editor.placeOf(place);
  editor.forgetPlace(place);
  if (!range || !blocks.length) return false;
  const { view } = editor;
  const $from = view.state.doc.resolve(range.from);
  if ($from.depth !== 1 || $from.parentOffset !== 0 || $from.parent.content.size !== range.to - range.from) return false;
  step(view, (tr) => replaceBlocks(tr, $from.before(), $from.after(), blocks));
  return true;
}

/** Replace whole blocks; a cursor within them goes on behind the new ones, in a paragraph if there is none. */
function replaceBlocks(tr, from, to, blocks) {
  const { head } = tr.selection;
  tr.replaceWith(from, to, blocks);
  const end = blocks.reduce((at, block) => at + block.nodeSize, from);
  const last = blocks.at(-1);
  if (head < from || head > to) return;
  if (last.isTextblock) tr.setSelection(TextSelection.create(tr.doc, end - 1));
  else {
    if (!tr.doc.resolve(end).nodeAfter?.isTextblock) tr.insert(end, nodes.paragraph.create());
    tr.setSelection(TextSelection.create(tr.doc, end + 1));
  }
  tr.scrollIntoView();
}

/** Insert Markdown as it is, then put what it means in its place. */
async function pasteMarkdown(editor, text) {
  const { view } = editor;
  const { from } = view.state.selection;
  view.dispatch(closeHistory(view.state.tr));
  view.pasteText(text);
  const place = editor.keepPlace(from, view.state.selection.to);
  const { html, problems } = await rendered(text, editor.area).catch(({ message }) => ({ problems: [message] }));
  const range = editor.placeOf(place);
  editor.forgetPlace(place);
  if (!html || !range) return editor.say(problems ? _("The pasted Markdown stays as it is. %(problem)s", { problem: problems.join(" ") }) : "");
  step(view, (tr) => replaceMarkdown(tr, range, blocksOf(html)));
  editor.say(_("The pasted Markdown is formatted now. Ctrl Z takes the formatting back."));
  const content = fragmentOf(html);
  const addresses = [...content.querySelectorAll("img")].map((each) => each.getAttribute("src"));
  const remote = addresses.filter((src) => /^https?:/i.test(src) && new URL(src).origin !== location.origin);
  return offerCopies(editor, remote, (address, stored) => changePictures(view, address, stored));
}

function replaceMarkdown(tr, { from, to }, blocks) {
  const [$from, $to] = [tr.doc.resolve(from), tr.doc.resolve(to)];
  const isWhole = $from.depth === 1 && $to.depth === 1 && $from.parentOffset === 0 && $to.parentOffset === $to.parent.content.size;
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (isWhole && first) replaceBlocks(tr, $from.before(), $to.after(), blocks);
  else if (blocks.length === 1 && first.type === nodes.paragraph && $from.sameParent($to)) tr.replaceWith(from, to, first.content);
  else {
    const content = nodes.doc.create(null, blocks);
    const isOpen = (block) => block?.type === nodes.paragraph ? 1 : 0;
    tr.replaceRange(from, to, content.slice(isOpen(first), content.content.size - isOpen(last)));
  }
}

/** Upload the pasted pictures that have bytes, and say what became of the others. */
async function settlePasted(editor, pasted) {
  const { files, lost, remote } = pasted;
  if (!files.size && !lost.length && !remote.length) return;
  editor.dataset.uploading = "";
  const said = await settle(pasted, editor.area.form, (text) => editor.say(text), (address, stored) => changePictures(editor.view, address, stored));
  delete editor.dataset.uploading;
  if (said) editor.say(said);
  offerCopies(editor, remote, (address, stored) => changePictures(editor.view, address, stored));
}

/** Put a stored file in the place of all pictures of an address; remove them for null. An undo does not bring it back. */
function changePictures(view, address, stored) {
  const { tr, doc } = view.state;
  const found = [];
  doc.descendants((node, position) => {
    if (node.attrs.attributes?.src === address) found.push([node, position]);
  });
  for (const [node, position] of found.reverse()) {
    const old = node.attrs.attributes;
    const attributes = { ...old, src: stored?.url, alt: old.alt || stored?.alt };
    if (stored) tr.setNodeMarkup(position, null, { ...node.attrs, attributes });
    else tr.delete(position, position + node.nodeSize);
  }
  if (found.length) view.dispatch(tr.setMeta("addToHistory", false));
}

/**
 * Upload pictures, and add them to the gallery on which they were dropped (`target`), or insert them at the cursor, one below
 * the other; several may become a gallery.
 */
export async function insertFiles(editor, files, target = null) {
  const { view, area } = editor;
  const gallery = galleryOf(target);
  const stored = [];
  const problems = await uploadAll(files, area.form, (text) => editor.say(text), (picture, file) => {
    const { url } = picture;
    const alt = firstWords(picture, file);
    stored.push({ url, alt });
    if (gallery) return;
    view.dispatch(closeHistory(view.state.tr));
    insertBlock(newFigure({ url, alt }), "end")(view.state, view.dispatch);
  });
  if (gallery && stored.length) {
    const { addToGallery } = await import("./block-editing.js");
    problems.push(...await addToGallery(editor, target, stored));
  }
  const said = gallery
    ? ngettext("The picture is in the gallery. Describe it in the settings of the gallery.", "%(num)s pictures are in the gallery. Describe them in its settings.", stored.length)
    : ngettext("The picture is inserted. Describe it for people who cannot see it.", "%(num)s pictures are inserted. Describe them for people who cannot see them.", stored.length);
  editor.say(problems.join(" ") || said);
  if (!gallery && stored.length > 1) offerGallery(editor, () => void makeGallery(editor, stored.map(({ url }) => url)));
}

/** Return whether a node is a gallery. */
function galleryOf(node) {
  return node?.type === nodes.opaque && directiveName(fragmentOf(node.attrs.html).firstElementChild) === "gallery";
}

/** Put a gallery in the place of pictures that stand one below the other. */
async function makeGallery(editor, addresses) {
  const { view, area } = editor;
  const { doc } = view.state;
  const blocks = doc.content.content;
  const address = (block) => (block?.type === nodes.figure ? block.firstChild.attrs.attributes.src : "");
  const first = blocks.findIndex((_block, at) => addresses.every((each, number) => address(blocks[at + number]) === each));
  const figures = first < 0 ? [] : blocks.slice(first, first + addresses.length);
  const pictures = figures.map(({ firstChild: { attrs }, lastChild }) => ({ url: attrs.attributes.src, alt: attrs.attributes.alt ?? "", caption: lastChild.textContent }));
  const { html } = figures.length ? await rendered(directiveText({ name: "gallery", content: linesOf({ pictures }) }), area).catch(() => ({})) : {};
  if (!html || view.state.doc !== doc) return editor.say(_("The pictures stay as they are: the text was changed meanwhile."));
  const from = blocks.slice(0, first).reduce((at, block) => at + block.nodeSize, 0);
  const to = figures.reduce((at, block) => at + block.nodeSize, from);
  step(view, (tr) => replaceBlocks(tr, from, to, blocksOf(html)));
  return editor.say("");
}
