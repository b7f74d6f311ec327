// Nodes that show themselves: pictures with their description, and opaque blocks.

import { NodeSelection, TextSelection } from "../vendor/prosemirror.js";
import { blockOf } from "./blocks.js";
import { askSource } from "./dialogs.js";
import { iconButton, labelled, make } from "./elements.js";
import { BLOCKS, cut, fragmentOf, VOID, WRAPPERS } from "./html.js";
import { schema, shownAttributes } from "./schema.js";

const NAMES = {
  details: "Details to open", div: "Box", dl: "List of terms", iframe: "Embedded page", video: "Video", audio: "Sound",
  aside: "Aside", section: "Section", table: "Table", figure: "Figure", math: "Formula", pre: "Code", picture: "Picture",
};
const PLACEHOLDERS = new Set(["iframe", "video", "audio", "object", "embed"]);
const KEPT = new Set([
  ...BLOCKS, ...WRAPPERS, ...VOID, "caption", "colgroup", "picture", "rp", "rt", "ruby", "tbody", "td", "tfoot", "th", "thead", "tr",
]);
const MATH = "http://www.w3.org/1998/Math/MathML";

/** Return a copy of content that may stand in the page: nothing runs, nothing is embedded, nothing can be used. */
function shown(content) {
  const made = document.createDocumentFragment();
  for (const node of content.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) made.append(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const name = node.localName;
    if (node.namespaceURI === MATH) made.append(shownMath(node));
    else if (PLACEHOLDERS.has(name)) made.append(placeholder(node));
    else if (KEPT.has(name) && !["input", "source", "link", "meta"].includes(name)) made.append(shownElement(node));
    else if (name === "input") made.append(node.checked ? "☑ " : "☐ ");
    else if (!/^(script|style|svg|template)$/.test(name)) made.append(shown(node));
  }
  return made;
}

function shownElement(node) {
  const made = document.createElement(node.localName);
  const { href, ...attributes } = shownAttributes(Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (made.localName === "details") made.open = true;
  if (made.localName === "img" && !made.hasAttribute("alt")) made.alt = "";
  made.append(shown(node));
  return made;
}

function shownMath(node) {
  const made = document.createElementNS(MATH, node.localName);
  made.append(...[...node.childNodes].map((each) => (each.nodeType === Node.ELEMENT_NODE ? shownMath(each) : each.data ?? "")));
  if (node.getAttribute("display") === "block") made.setAttribute("display", "block");
  return made;
}

function placeholder(node) {
  const address = node.getAttribute("src") ?? node.querySelector("source")?.getAttribute("src") ?? "";
  return make("span", { className: "placeholder" }, `${NAMES[node.localName] ?? node.localName} ${address}`.trim());
}

function nameOf(html) {
  const element = fragmentOf(html).firstElementChild;
  const first = element?.matches("div.highlight") ? "pre" : element?.localName ?? "";
  return NAMES[first] ?? (first ? `HTML: ${first}` : "HTML");
}

/** A block that the editor does not change: shown as it looks, moved, deleted, or edited as source. */
export class OpaqueView {
  constructor(node, view, position) {
    this.node = node;
    this.view = view;
    this.position = position;
    const name = nameOf(node.attrs.html);
    const bar = make("div", { className: "opaque-bar", role: "group", ariaLabel: name }, make("span", { className: "opaque-name" }, name),
      iconButton("edit", `Edit as HTML: ${name}`, () => this.edit()),
      iconButton("up", `Move up: ${name}`, () => this.move(-1)),
      iconButton("down", `Move down: ${name}`, () => this.move(1)),
      iconButton("after", `Write below: ${name}`, () => this.writeBelow()),
      iconButton("remove", `Delete: ${name}`, () => this.remove()));
    this.body = make("div", { className: "opaque-body" }, shown(fragmentOf(node.attrs.html)));
    this.dom = make("div", { className: "opaque", contentEditable: "false" }, bar, this.body);
    this.dom.addEventListener("dblclick", () => this.edit());
    for (const item of this.body.querySelectorAll("summary")) item.tabIndex = -1;
  }

  async edit() {
    const html = await askSource(this.node.attrs.html);
    this.view.focus();
    if (html === null || html === this.node.attrs.html) return;
    const found = cut(html)?.blocks ?? [{ source: html, isLoose: false }];
    const blocks = found.map(({ source, isLoose }) => blockOf(source, isLoose));
    const at = this.position();
    this.view.dispatch(this.view.state.tr.replaceWith(at, at + this.node.nodeSize, blocks));
  }

  move(by) {
    const { state } = this.view;
    const at = this.position();
    const parent = state.doc.resolve(at);
    const index = parent.index() + by;
    if (index < 0 || index >= parent.parent.childCount) return;
    const other = parent.parent.child(index);
    const tr = state.tr.delete(at, at + this.node.nodeSize);
    const to = by < 0 ? at - other.nodeSize : at + other.nodeSize;
    tr.insert(to, this.node).setSelection(NodeSelection.create(tr.doc, to)).scrollIntoView();
    this.view.dispatch(tr);
    this.view.nodeDOM(to)?.querySelector?.(`[aria-label^="Move ${by < 0 ? "up" : "down"}"]`)?.focus();
  }

  writeBelow() {
    const at = this.position() + this.node.nodeSize;
    const tr = this.view.state.tr.insert(at, schema.nodes.paragraph.create());
    this.view.dispatch(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
    this.view.focus();
  }

  remove() {
    const at = this.position();
    this.view.dispatch(this.view.state.tr.delete(at, at + this.node.nodeSize));
    this.view.focus();
  }

  stopEvent(event) {
    return Boolean(event.target.closest?.(".opaque-bar")) && !event.type.startsWith("drag");
  }

  ignoreMutation() {
    return true;
  }
}

/** A formula, a check box or another thing within a line that the editor does not change. */
export class OpaqueInlineView {
  constructor(node) {
    this.dom = make("span", { className: "opaque-inline", contentEditable: "false" }, shown(fragmentOf(node.attrs.html)));
    if (!this.dom.textContent) this.dom.append(nameOf(node.attrs.html));
  }

  ignoreMutation() {
    return true;
  }
}

/** The picture of a figure, with a field for its description. */
export class PictureView {
  constructor(node, view, position) {
    this.node = node;
    this.image = make("img", { draggable: false });
    this.alt = make("input", { maxLength: 250, autocomplete: "off", placeholder: "For people who cannot see it" });
    this.dom = make("div", { className: "picture-node", contentEditable: "false" }, this.image, labelled("Description", this.alt));
    this.alt.addEventListener("input", () => {
      const attributes = { ...this.node.attrs.attributes, alt: this.alt.value };
      view.dispatch(view.state.tr.setNodeMarkup(position(), null, { attributes }));
    });
    this.alt.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault();
      if (event.key !== "Enter" && event.key !== "Escape") return;
      view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, position() + 2)));
      view.focus();
    });
    this.show();
  }

  show() {
    const { src = "", alt = "" } = shownAttributes(this.node.attrs.attributes);
    if (this.image.getAttribute("src") !== src) this.image.src = src;
    this.image.alt = alt;
    if (this.alt.value !== alt) this.alt.value = alt;
  }

  update(node) {
    if (node.type !== this.node.type) return false;
    this.node = node;
    this.show();
    return true;
  }

  stopEvent(event) {
    return event.target === this.alt;
  }

  ignoreMutation() {
    return true;
  }
}
