// The document of rich text: the elements that can be edited, and opaque ones that are shown and kept as they are.

import { DOMParser, Schema } from "../vendor/prosemirror.js";
import { CONTAINERS, FORMED, shellOf } from "./directives.js";
import { attributesOf, BLOCKS, WRAPPERS } from "./html.js";

const OPAQUE_DATA = "data-opaque-html";
const SHELL_DATA = ["data-shell-before", "data-shell-after"];
const OPAQUE_BLOCKS = [...BLOCKS].filter((name) => !/^(h[1-6]|hr|p|li|[ou]l|blockquote|figcaption)$/.test(name));
const OPAQUE_INLINE = ["audio", "embed", "iframe", "input", "math", "object", "picture", "ruby", "svg", "video", "wbr"];
const SHOWN = new Set(["alt", "class", "dir", "height", "href", "lang", "src", "start", "title", "type", "value", "width"]);
const ADDRESS = /^((https|mailto|tel|sms|whatsapp|ftp|geo|ircs?|news|webcal|xmpp|blob):|#|\?|\.|[^a-z]|[a-z0-9+.-]*([/?#]|$))/i;

/** Return the attributes that may be put into the page: none that runs, styles, or loads what the policy forbids. */
export function shownAttributes(attributes) {
  const all = Object.entries(attributes ?? {}).filter(([name]) => SHOWN.has(name));
  return Object.fromEntries(all.filter(([name, value]) => !/^(src|href)$/.test(name) || ADDRESS.test(value)));
}

const attributes = { attributes: { default: null } };
const all = (dom) => ({ attributes: attributesOf(dom) });
const whole = (dom) => ({ html: dom.outerHTML });
const bare = (dom) => dom.attributes.length === 0 && null;

/** Return the declaration of a node that is one element. */
function element(tag, rest) {
  return { attrs: attributes, parseDOM: [{ tag, getAttrs: all }], toDOM: (node) => [tag, shownAttributes(node.attrs.attributes), 0], ...rest };
}

/** Return the attributes of a code block, or false if the element holds more than plain code. */
function codeAttributes(pre) {
  const code = pre.firstElementChild;
  if (!code) return { attributes: attributesOf(pre), code: null, hasCode: false };
  const isPlain = pre.childNodes.length === 1 && code.localName === "code" && !code.firstElementChild;
  return isPlain && { attributes: attributesOf(pre), code: attributesOf(code), hasCode: true };
}

/** Return the attributes of a picture in a link, or false for a link that holds anything else. */
function linkedPicture(link) {
  const [picture, ...more] = link.children;
  return picture?.localName === "img" && !more.length && !link.textContent.trim() && { attributes: attributesOf(picture), link: attributesOf(link) };
}

/** Return the attributes of a figure, or false if it is not one picture, with or without a link and a caption. */
function figureAttributes(figure) {
  const [picture, caption, ...more] = figure.children;
  const isPlain = (picture?.localName === "img" || (picture?.localName === "a" && linkedPicture(picture))) && (!caption || caption.localName === "figcaption") && !more.length;
  return isPlain && all(figure);
}

function cell(tag, role) {
  const own = ["colspan", "rowspan"];
  const span = (dom, name) => Number(dom.getAttribute(name) || 1);
  return {
    content: "(line | block)+",
    isolating: true,
    tableRole: role,
    attrs: { ...attributes, colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null } },
    parseDOM: [{
      tag,
      getAttrs: (dom) => ({
        attributes: attributesOf(dom, ...own), colspan: span(dom, "colspan"), rowspan: span(dom, "rowspan"), colwidth: null,
      }),
    }],
    toDOM: (node) => {
      const { colspan, rowspan } = node.attrs;
      const spans = { ...(colspan > 1 && { colspan }), ...(rowspan > 1 && { rowspan }) };
      return [tag, { ...shownAttributes(node.attrs.attributes), ...spans }, 0];
    },
  };
}

/** Return the declaration of what is kept as it is: elements of these names, and those that a form changes. */
function opaque(isInline, tags, formed = null) {
  const tag = isInline ? "span" : "div";
  return {
    group: isInline ? "inline" : "block",
    inline: isInline,
    atom: true,
    draggable: true,
    attrs: { html: { default: "" } },
    parseDOM: [
      { tag: `${tag}[${OPAQUE_DATA}]`, getAttrs: (dom) => ({ html: dom.getAttribute(OPAQUE_DATA) }), priority: 60 },
      ...(formed ? [{ tag: formed, getAttrs: whole, priority: 57 }] : []),
      ...tags.map((name) => ({ tag: name, getAttrs: whole, priority: 10 })),
    ],
    toDOM: (node) => [tag, { [OPAQUE_DATA]: node.attrs.html }],
  };
}

const nodes = {
  doc: { content: "(block | line)+" },
  paragraph: element("p", { content: "inline*", group: "block" }),
  line: { content: "inline*", toDOM: () => ["div", { class: "line" }, 0] },
  heading: {
    attrs: { level: { default: 2 }, ...attributes },
    content: "inline*",
    group: "block",
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, getAttrs: (dom) => ({ level, ...all(dom) }) })),
    toDOM: (node) => [`h${node.attrs.level}`, shownAttributes(node.attrs.attributes), 0],
  },
  blockquote: element("blockquote", { content: "(block | line)+", group: "block", defining: true }),
  bullet_list: element("ul", { content: "list_item+", group: "block" }),
  ordered_list: element("ol", { content: "list_item+", group: "block" }),
  list_item: element("li", { content: "(line | block)+", defining: true }),
  code_block: {
    attrs: { ...attributes, code: { default: null }, hasCode: { default: true } },
    content: "text*",
    marks: "",
    group: "block",
    code: true,
    defining: true,
    parseDOM: [{ tag: "pre", preserveWhitespace: "full", getAttrs: codeAttributes }],
    toDOM: () => ["pre", ["code", 0]],
  },
  figure: { ...element("figure", { content: "picture caption", group: "block", isolating: true }), parseDOM: [{ tag: "figure", getAttrs: figureAttributes }] },
  picture: {
    attrs: { ...attributes, link: { default: null } },
    atom: true,
    selectable: false,
    parseDOM: [
      { tag: "img[src]", context: "figure/", getAttrs: all },
      { tag: "a[href]", context: "figure/", getAttrs: linkedPicture, priority: 61 },
    ],
    toDOM: (node) => ["img", shownAttributes(node.attrs.attributes)],
  },
  caption: element("figcaption", { content: "inline*" }),
  horizontal_rule: { ...element("hr", { group: "block" }), toDOM: () => ["hr"] },
  table: {
    content: "table_row+",
    group: "block",
    isolating: true,
    tableRole: "table",
    attrs: { ...attributes, head: { default: true } },
    parseDOM: [{ tag: "table", getAttrs: (dom) => ({ ...all(dom), head: Boolean(dom.tHead) }) }],
    toDOM: (node) => ["table", shownAttributes(node.attrs.attributes), ["tbody", 0]],
  },
  table_row: element("tr", { content: "(table_cell | table_header)*", tableRole: "row" }),
  table_cell: cell("td", "cell"),
  table_header: cell("th", "header_cell"),
  directive: {
    content: "block+",
    group: "block",
    isolating: true,
    defining: true,
    attrs: { prefix: { default: "" }, suffix: { default: "" } },
    parseDOM: [
      {
        tag: `[${SHELL_DATA[0]}]`, priority: 60,
        getAttrs: (dom) => ({ prefix: dom.getAttribute(SHELL_DATA[0]), suffix: dom.getAttribute(SHELL_DATA[1]) }),
      },
      { tag: CONTAINERS, priority: 58, getAttrs: (dom) => shellOf(dom) ?? false, contentElement: (dom) => shellOf(dom).content },
    ],
    toDOM: ({ attrs: { prefix, suffix } }) => ["div", { [SHELL_DATA[0]]: prefix, [SHELL_DATA[1]]: suffix }, 0],
  },
  opaque: opaque(false, OPAQUE_BLOCKS, FORMED),
  opaque_inline: opaque(true, OPAQUE_INLINE),
  text: { group: "inline" },
  image: {
    attrs: attributes,
    inline: true,
    group: "inline",
    draggable: true,
    parseDOM: [{ tag: "img[src]", getAttrs: all }],
    toDOM: (node) => ["img", shownAttributes(node.attrs.attributes)],
  },
  hard_break: { inline: true, group: "inline", selectable: false, parseDOM: [{ tag: "br", getAttrs: bare }], toDOM: () => ["br"] },
};

/** Return a mark that is one of several elements without attributes. */
function plainMark(...tags) {
  const parseDOM = tags.map((tag) => ({ tag, getAttrs: (dom) => dom.attributes.length === 0 && { tag } }));
  return { attrs: { tag: { default: tags[0] } }, parseDOM, toDOM: (mark) => [mark.attrs.tag, 0] };
}

const marks = {
  link: {
    attrs: attributes,
    inclusive: false,
    parseDOM: [{ tag: "a[href]", getAttrs: all }],
    toDOM: (mark) => ["a", shownAttributes(mark.attrs.attributes), 0],
  },
  wrapper: {
    attrs: { tag: {}, ...attributes },
    inclusive: false,
    excludes: "",
    parseDOM: [...WRAPPERS].map((tag) => ({ tag, getAttrs: (dom) => ({ tag, ...all(dom) }), priority: 20 })),
    toDOM: (mark) => [mark.attrs.tag, shownAttributes(mark.attrs.attributes), 0],
  },
  em: plainMark("em", "i"),
  strong: plainMark("strong", "b"),
  code: plainMark("code"),
};

export const schema = new Schema({ nodes, marks });
/** Reads stored HTML: what has no node of its own becomes opaque. */
export const sourceParser = DOMParser.fromSchema(schema);
const LOOSE_RULES = sourceParser.rules.filter((rule) => !rule.priority || rule.priority > 10);
/** Reads what is pasted: boxes of other editors leave their content behind. */
export const pasteParser = new DOMParser(schema, LOOSE_RULES);
