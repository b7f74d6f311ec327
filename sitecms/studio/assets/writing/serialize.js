// Nodes of rich text as HTML, written as the sanitiser of the server writes it.

import { escapeText, startTag } from "./html.js";

const written = new WeakMap();

/** Return a node as HTML; each node is written once. */
export function toHtml(node) {
  let html = written.get(node);
  if (html === undefined) {
    html = write(node);
    written.set(node, html);
  }
  return html;
}

/** Have a node written as somebody wrote it, as long as it is not changed. */
export function keepSource(node, html) {
  written.set(node, html);
}

function element(name, attributes, content) {
  return `${startTag(name, attributes)}${content}</${name}>`;
}

function write(node) {
  const { attributes } = node.attrs;
  switch (node.type.name) {
    case "line": return inline(node);
    case "paragraph": return element("p", attributes, inline(node));
    case "heading": return element(`h${node.attrs.level}`, attributes, inline(node));
    case "caption": return node.content.size ? element("figcaption", attributes, inline(node)) : "";
    case "blockquote": return element("blockquote", attributes, lines(node));
    case "bullet_list": return element("ul", attributes, lines(node));
    case "ordered_list": return element("ol", attributes, lines(node));
    case "list_item": return element("li", attributes, item(node));
    case "code_block": return code(node);
    case "figure": return element("figure", attributes, children(node).join(""));
    case "picture": return node.attrs.link ? element("a", node.attrs.link, startTag("img", attributes)) : startTag("img", attributes);
    case "image": return startTag("img", attributes);
    case "horizontal_rule": return startTag("hr", attributes);
    case "hard_break": return "<br>";
    case "directive": return `${node.attrs.prefix.trimEnd()}\n${children(node).join("\n")}\n${node.attrs.suffix.trimStart()}`;
    case "opaque": case "opaque_inline": return node.attrs.html;
    case "table": return table(node);
    case "table_row": return element("tr", attributes, lines(node));
    case "table_cell": return cell("td", node);
    case "table_header": return cell("th", node);
    case "text": return escapeText(node.text);
    default: throw new Error(`no HTML for ${node.type.name}`);
  }
}

function children(node) {
  return Array.from({ length: node.childCount }, (_, index) => toHtml(node.child(index)));
}

function lines(node) {
  return `\n${children(node).join("\n")}\n`;
}

function item(node) {
  const [first, last] = [node.firstChild, node.lastChild].map(({ type }) => (type.name === "line" ? "" : "\n"));
  return `${first}${children(node).join("\n")}${last}`;
}

function code(node) {
  const { attributes, code: own, hasCode } = node.attrs;
  const text = escapeText(node.textContent);
  if (hasCode) return element("pre", attributes, element("code", own, text));
  return element("pre", attributes, text.startsWith("\n") ? `\n${text}` : text);
}

function cell(name, node) {
  const { attributes, colspan, rowspan } = node.attrs;
  const spans = { ...(colspan > 1 && { colspan: `${colspan}` }), ...(rowspan > 1 && { rowspan: `${rowspan}` }) };
  return element(name, { ...attributes, ...spans }, children(node).join("\n"));
}

/** Rows at the beginning that have header cells alone are the head. */
function table(node) {
  const rows = Array.from({ length: node.childCount }, (_, index) => node.child(index));
  const isHead = (row) => row.childCount > 0 && row.content.content.every((each) => each.type.name === "table_header");
  let count = node.attrs.head ? rows.findIndex((row) => !isHead(row)) : 0;
  if (count < 0) count = rows.length;
  const part = (name, some) => (some.length ? `\n${element(name, null, `\n${some.map(toHtml).join("\n")}\n`)}` : "");
  const content = part("thead", rows.slice(0, count)) + part("tbody", rows.slice(count));
  return element("table", node.attrs.attributes, `${content}\n`);
}

/** Return the content of a text block; marks that neighbours share are written once. */
function inline(node) {
  const open = [];
  let html = "";
  const close = (count) => {
    while (open.length > count) html += `</${tagOf(open.pop())}>`;
  };
  node.forEach((child) => {
    let same = 0;
    while (same < open.length && same < child.marks.length && open[same].eq(child.marks[same])) same += 1;
    close(same);
    for (const mark of child.marks.slice(same)) {
      open.push(mark);
      html += startTag(tagOf(mark), mark.attrs.attributes);
    }
    html += toHtml(child);
  });
  close(0);
  return html;
}

function tagOf(mark) {
  return mark.type.name === "link" ? "a" : mark.attrs.tag;
}
