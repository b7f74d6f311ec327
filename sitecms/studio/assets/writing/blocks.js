// A text in HTML as a document of blocks, and back: blocks that nobody changed keep their bytes.

import { Fragment, TableMap } from "../vendor/prosemirror.js";
import { cut, fragmentOf, outline } from "./html.js";
import { schema, sourceParser } from "./schema.js";
import { toHtml } from "./serialize.js";

/** Return the node of one block, opaque if the schema cannot hold all of it. */
export function blockOf(source, isLoose = false) {
  const keep = () => schema.nodes.opaque.create({ html: source });
  const content = fragmentOf(source);
  if (!isLoose && (content.childNodes.length !== 1 || content.firstChild.nodeType !== Node.ELEMENT_NODE)) return keep();
  const parsed = sourceParser.parse(content);
  if (parsed.childCount !== 1) return keep();
  const node = parsed.firstChild;
  if (isLoose && (node.type.name !== "paragraph" || !node.textContent.trim())) return keep();
  const html = toHtml(node);
  const expected = isLoose ? `<p>${source}</p>` : source;
  if (outline(fragmentOf(html)) !== outline(isLoose ? fragmentOf(expected) : content)) return keep();
  return isRegular(node) ? node : keep();
}

/** Return whether all tables in the node have complete rows; others would be completed by any edit elsewhere. */
function isRegular(node) {
  let isFine = true;
  node.descendants((each) => {
    if (each.type.name === "table") isFine &&= !TableMap.get(each).problems;
  });
  return isFine && (node.type.name !== "table" || !TableMap.get(node).problems);
}

/** A text as it was opened: the document, and the bytes of each of its blocks. */
export class OpenedText {
  constructor(html) {
    this.html = html;
    const found = cut(html) ?? { blocks: [{ before: "", source: html, isLoose: false }], after: "" };
    this.after = found.after;
    this.blocks = found.blocks.map((block) => ({ ...block, node: blockOf(block.source, block.isLoose) }));
    this.byNode = new Map(this.blocks.map((block, index) => [block.node, index]));
    this.byHtml = new Map(this.blocks.map((block, index) => [toHtml(block.node), index]));
    this.gap = mostCommon(this.blocks.slice(1).map(({ before }) => before)) ?? "\n";
    const content = this.blocks.map(({ node }) => node);
    this.doc = schema.nodes.doc.create(null, content.length ? Fragment.from(content) : schema.nodes.paragraph.create());
  }

  /** Return the document as HTML; the same one is written once. */
  write(doc) {
    if (this.written?.doc !== doc) this.written = { doc, html: this.toText(doc) };
    return this.written.html;
  }

  toText(doc) {
    const nodes = doc.content.content.filter((node) => this.byNode.has(node) || !isEmpty(node));
    const origins = nodes.map((node, index) => this.origin(node, index));
    const { blocks } = this;
    if (origins.length === blocks.length && origins.every((origin, index) => origin === index)) return this.html;
    if (!nodes.length) return "";
    const gaps = this.gaps(origins);
    let html = "";
    let wasLoose = false;
    nodes.forEach((node, index) => {
      const block = blocks[origins[index]];
      const isLoose = Boolean(block?.isLoose) && !wasLoose;
      html += gaps[index] + (block && (isLoose || !block.isLoose) ? block.source : toHtml(node));
      wasLoose = isLoose;
    });
    return html + this.after;
  }

  /** Return the number of the block as it was opened that a node is, -1 for a new or changed one. */
  origin(node, place) {
    const known = this.byNode.get(node);
    if (known !== undefined) return known;
    const found = [place, this.byHtml.get(toHtml(node))].find((index) => this.blocks[index]?.node.eq(node));
    return found ?? -1;
  }

  /** Return what stands before each block: what stood there, where the blocks around it are the same. */
  gaps(origins) {
    const { blocks, gap } = this;
    let start = 0;
    while (start < origins.length && start < blocks.length && origins[start] === start) start += 1;
    let end = 0;
    const most = Math.min(origins.length, blocks.length) - start;
    while (end < most && origins.at(-1 - end) === blocks.length - 1 - end) end += 1;
    const isPaired = origins.length === blocks.length;
    return origins.map((origin, index) => {
      if (index === 0) return blocks[0]?.before ?? "";
      const old = index < start || isPaired ? index : index >= origins.length - end ? blocks.length - origins.length + index : origin;
      return old > 0 ? blocks[old].before : gap;
    });
  }
}

function isEmpty(node) {
  return node.type.name === "paragraph" && node.content.size === 0 && !node.attrs.attributes;
}

function mostCommon(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}
