// Nodes that show themselves: pictures with their description, and opaque blocks.

import { TextSelection } from "../vendor/prosemirror.js";
import { _ } from "../texts.js";
import { directiveName } from "./directives.js";
import { iconButton, labelled, make } from "./elements.js";
import { BLOCKS, fragmentOf, VOID, WRAPPERS } from "./html.js";
import { shownAttributes } from "./schema.js";

const NAMES = {
  details: _("Details to open"), div: _("Box"), dl: _("List of terms"), iframe: _("Embedded page"), video: _("Video"), audio: _("Audio"),
  aside: _("Aside"), section: _("Section"), table: _("Table"), figure: _("Figure"), math: _("Formula"), pre: _("Code"), picture: _("Picture"),
  gallery: _("Gallery"), embed: _("Embed"), bookmark: _("Bookmark"), file: _("File"), button: _("Button"), tabs: _("Tabs"), tab: _("Tab"),
  note: _("Note"), tip: _("Tip"), important: _("Important"), warning: _("Warning"), caution: _("Caution"),
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
  const made = document.createElement(node.localName === "aside" ? "div" : node.localName); // no landmarks in a text
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

/** Return the name of a block for people, and that of its directive, "" for none. */
function namesOf(html) {
  const element = fragmentOf(html).firstElementChild;
  const directive = directiveName(element);
  const name = directive || (element?.matches("div.highlight") ? "pre" : element?.localName ?? "");
  const known = NAMES[name] ?? (directive ? `${directive[0].toUpperCase()}${directive.slice(1)}` : "");
  return { name: known || (name ? `HTML: ${name}` : "HTML"), directive };
}

/** A block with a bar of buttons. */
class BlockView {
  constructor(node, view, position, html) {
    this.node = node;
    this.view = view;
    this.position = position;
    this.html = html;
    const { name, directive } = namesOf(html);
    const run = (command) => async () => {
      (await import("./block-commands.js"))[command](this.position())(view.state, view.dispatch);
      view.focus();
    };
    this.isFormed = Boolean(directive);
    this.bar = make("div", { className: "opaque-bar", role: "group", ariaLabel: name, contentEditable: "false" },
      make("span", { className: "opaque-name" }, name),
      ...(directive ? [iconButton("edit", _("Settings: %(name)s", { name }), () => this.edit())] : []),
      iconButton(directive ? "source" : "edit", _("Edit as HTML: %(name)s", { name }), () => this.editSource()),
      ...[["up", _("Move up: %(name)s", { name })], ["down", _("Move down: %(name)s", { name })]].map(([direction, label]) => {
        const button = iconButton(direction, label, () => this.move(direction));
        button.dataset.move = direction;
        return button;
      }),
      iconButton("after", _("Write below: %(name)s", { name }), run("writeBelow")),
      iconButton("copy", _("Duplicate: %(name)s", { name }), run("duplicateBlock")),
      iconButton("remove", _("Delete: %(name)s", { name }), run("deleteBlock")));
  }

  async edit() {
    const { editBlock } = await import("./block-editing.js");
    await editBlock(this.view, this.position());
  }

  async editSource() {
    const { editSource } = await import("./block-editing.js");
    await editSource(this.view, this.position());
  }

  async move(direction) {
    const { moveBlock } = await import("./block-commands.js");
    const { state, dispatch } = this.view;
    const at = this.position();
    const $at = state.doc.resolve(at);
    const [by, other] = direction === "up" ? [-1, $at.nodeBefore] : [1, $at.parent.maybeChild($at.index() + 1)];
    if (!moveBlock(at, by)(state, dispatch)) return;
    this.view.nodeDOM(at + by * other.nodeSize)?.querySelector?.(`[data-move=${direction}]`)?.focus();
  }

  stopEvent(event) {
    return Boolean(event.target.closest?.(".opaque-bar")) && this.bar.contains(event.target) && !event.type.startsWith("drag");
  }
}

/** A block that is shown as it looks, moved, deleted, and changed by its form or as source. */
export class OpaqueView extends BlockView {
  constructor(node, view, position) {
    super(node, view, position, node.attrs.html);
    const body = make("div", { className: "opaque-body" }, shown(fragmentOf(node.attrs.html)));
    this.dom = make("div", { className: this.isFormed ? "opaque formed" : "opaque", contentEditable: "false" }, this.bar, body);
    this.dom.addEventListener("dblclick", () => (this.isFormed ? this.edit() : this.editSource()));
    for (const item of body.querySelectorAll("summary, a")) item.tabIndex = -1;
  }

  ignoreMutation() {
    return true;
  }
}

/** A block of a directive whose content is formatted in place; a form changes the rest. */
export class DirectiveView extends BlockView {
  constructor(node, view, position) {
    const { prefix, suffix } = node.attrs;
    super(node, view, position, prefix + suffix);
    const body = make("div", { className: "opaque-body" }, shown(fragmentOf(`${prefix}<div class="block-content"></div>${suffix}`)));
    this.contentDOM = body.querySelector(".block-content");
    this.dom = make("div", { className: "opaque formed" }, this.bar, body);
    for (let part = this.contentDOM; part !== body; part = part.parentNode) {
      for (const other of part.parentNode.children) if (other !== part) other.contentEditable = "false";
    }
    body.addEventListener("click", (event) => event.target.closest("summary") && event.preventDefault());
    for (const item of body.querySelectorAll("summary")) item.tabIndex = -1;
  }

  update(node) {
    const isSame = node.type === this.node.type && node.attrs.prefix === this.node.attrs.prefix && node.attrs.suffix === this.node.attrs.suffix;
    if (isSame) this.node = node;
    return isSame;
  }

  ignoreMutation(mutation) {
    return mutation.type !== "selection" && !this.contentDOM.contains(mutation.target);
  }
}

/** A formula, a check box or another thing within a line that the editor does not change. */
export class OpaqueInlineView {
  constructor(node) {
    this.dom = make("span", { className: "opaque-inline", contentEditable: "false" }, shown(fragmentOf(node.attrs.html)));
    if (!this.dom.textContent) this.dom.append(namesOf(node.attrs.html).name);
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
    this.alt = make("input", { maxLength: 250, autocomplete: "off", placeholder: _("For people who cannot see it") });
    this.settings = make("button", { type: "button", className: "plain" }, _("Picture settings"));
    this.settings.addEventListener("click", () => {
      view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, position() + 2)));
      view.dom.closest("rich-text").acts.picture();
    });
    this.dom = make("div", { className: "picture-node", contentEditable: "false" }, this.image, labelled(_("Description"), this.alt), this.settings);
    this.alt.addEventListener("input", () => {
      const attributes = { ...this.node.attrs.attributes, alt: this.alt.value };
      view.dispatch(view.state.tr.setNodeMarkup(position(), null, { ...this.node.attrs, attributes }));
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
    return event.target === this.alt || event.target === this.settings;
  }

  ignoreMutation() {
    return true;
  }
}
