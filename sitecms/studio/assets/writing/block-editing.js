// Blocks of rich text by their forms: new ones, and changes of those that are there.

import { closeHistory, NodeSelection, TextSelection } from "../vendor/prosemirror.js";
import { askBlock, blockForms, comparable, directiveText, HOLE, linesOf, rendered } from "./block-form.js";
import { readElement } from "./block-source.js";
import { blockOf } from "./blocks.js";
import { insertBlock } from "./commands.js";
import { askSource } from "./dialogs.js";
import { shellOf } from "./directives.js";
import { cut, fragmentOf, outline } from "./html.js";
import { schema } from "./schema.js";
import { keepSource, toHtml } from "./serialize.js";
import { _ } from "../texts.js";

const more = () => _("This block has more than its form can hold. Its HTML can be edited.");

/** Return the nodes of HTML. */
function nodesOf(html) {
  const found = cut(html.trim())?.blocks ?? [{ source: html, isLoose: false }];
  return found.map(({ source, isLoose }) => {
    const node = blockOf(source, isLoose);
    if (!isLoose) keepSource(node, source);
    return node;
  });
}

/** Return HTML of a directive with an empty paragraph in place of the hole. */
const filled = (html) => html.replace(/<p data-directive-hole="">\s*<\/p>/, "<p></p>");

/** Return the HTML of a directive without what is in the hole. */
function shellOfHtml(html) {
  const element = fragmentOf(html).firstElementChild;
  return element && shellOf(element);
}

/** Ask for a new block, and insert it below the one with the cursor. */
export async function insertNew(view, name) {
  const editor = view.dom.closest("rich-text");
  try {
    const block = (await blockForms()).get(name);
    const answer = await askBlock({ name, isNew: true }, editor.area, block.start || HOLE);
    view.focus();
    if (!answer) return;
    view.dispatch(closeHistory(view.state.tr));
    const nodes = nodesOf(filled(answer.html));
    for (const node of nodes) insertBlock(node, node.type === schema.nodes.directive ? "start" : "below")(view.state, view.dispatch);
  } catch (error) {
    editor.say(error.message);
  }
}

/** Ask for HTML, and insert it below the block with the cursor. */
export async function insertSource(view) {
  const html = await askSource("");
  view.focus();
  for (const node of html?.trim() ? nodesOf(html) : []) insertBlock(node)(view.state, view.dispatch);
}

/** Edit a block as HTML. */
export async function editSource(view, position) {
  const node = view.state.doc.nodeAt(position);
  const { opened } = view.dom.closest("rich-text");
  const old = opened.blocks[opened.byNode.get(node)]?.source ?? toHtml(node);
  const html = await askSource(old);
  view.focus();
  if (html === null || html === old) return;
  view.dispatch(view.state.tr.replaceWith(position, position + node.nodeSize, nodesOf(html)));
}

/** Return whether the server makes the same block of the settings. */
async function isSame(settings, html, area) {
  const { isInPlace } = settings;
  const content = isInPlace ? HOLE : linesOf(settings);
  const { html: again = "" } = await rendered(directiveText({ ...settings, content }), area);
  const parts = [html, again].map((each) => (isInPlace ? shellOfHtml(each) : { prefix: each.trim(), suffix: "" }));
  if (parts.some((shell) => !shell)) return false;
  const [one, other] = parts.map(({ prefix, suffix }) => outline(comparable(prefix + suffix)));
  return one === other;
}

/** Return settings without those that the server sets by itself: the title of a callout, the shape of a player. */
async function withoutDefaults(settings, html, area, block) {
  const isShaped = settings.options.some(([name]) => name === "ratio");
  if (!isShaped && !(block.group && settings.title)) return settings;
  const options = settings.options.filter(([name]) => name !== "ratio");
  const bare = isShaped ? { ...settings, options } : { ...settings, title: "" };
  return await isSame(bare, html, area) ? bare : settings;
}

/** Change the settings of a block by its form. */
export async function editBlock(view, position) {
  const editor = view.dom.closest("rich-text");
  const node = view.state.doc.nodeAt(position);
  const html = node.type === schema.nodes.directive ? node.attrs.prefix + node.attrs.suffix : node.attrs.html;
  try {
    let old = readElement(fragmentOf(html).firstElementChild, shellOfHtml(html) !== null);
    const block = (await blockForms()).get(old.name);
    if (block && !old.isFromSource) {
      if (!await isSame(old, html, editor.area)) {
        editor.say(more());
        await editSource(view, position);
        return;
      }
      old = await withoutDefaults(old, html, editor.area, block);
    }
    const answer = await askBlock(old, editor.area, HOLE);
    view.focus();
    if (answer) replace(view, node, position, answer.html);
  } catch (error) {
    editor.say(error.message);
  }
}

/** Add pictures to the gallery that a node is; return the problems, none if they are there. */
export async function addToGallery(editor, node, pictures) {
  const { view, area } = editor;
  const old = readElement(fragmentOf(node.attrs.html).firstElementChild, false);
  try {
    if (!await isSame(old, node.attrs.html, area)) return [more()];
    const content = linesOf({ ...old, pictures: [...old.pictures, ...pictures] });
    const { html, problems } = await rendered(directiveText({ ...old, content }), area);
    if (problems) return problems;
    let at = null;
    view.state.doc.descendants((each, position) => {
      if (each === node) at = position;
    });
    if (at === null) return [_("The gallery was changed meanwhile. The pictures are in the media library now.")];
    replace(view, node, at, html);
    return [];
  } catch ({ message }) {
    return [message];
  }
}

/** Put new HTML in the place of a block; the content that it has a place for stays. */
function replace(view, node, position, html) {
  if (view.state.doc.nodeAt(position) !== node) return; // it was changed meanwhile
  const { tr } = view.state;
  const shell = shellOfHtml(html);
  const kept = node.isAtom && shell ? shellOfHtml(node.attrs.html)?.content.innerHTML.trim() : "";
  if (shell && !node.isAtom) tr.setNodeMarkup(position, null, { prefix: shell.prefix, suffix: shell.suffix });
  else tr.replaceWith(position, position + node.nodeSize, nodesOf(kept ? `${shell.prefix}\n${kept}\n${shell.suffix}` : filled(html)));
  const at = tr.doc.nodeAt(position);
  const isPlaced = at?.type === schema.nodes.directive;
  tr.setSelection(isPlaced ? TextSelection.near(tr.doc.resolve(position + 1)) : NodeSelection.create(tr.doc, position));
  view.dispatch(tr.scrollIntoView());
}
