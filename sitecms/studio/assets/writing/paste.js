// Pasted HTML without what other programs put into it: only what it says, not how it looked there.

import { fragmentOf, normalized, startTag } from "./html.js";
import { _ } from "../texts.js";

const STYLE = "data-pasted-style";
export const DROPPED = "script, style, meta, link, title, xml, base, svg, object, embed, iframe, input, button, select, textarea";
const KEPT = new Set(["href", "src", "alt", "title", "colspan", "rowspan", "start", "scope"]);
const RENAMED = { b: "strong", i: "em", h1: "h2", strike: "s", center: "p" };
const NAMES = new Set([
  "a", "blockquote", "br", "caption", "code", "del", "em", "figcaption", "figure", "h2", "h3", "h4", "h5", "h6", "hr",
  "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "s", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th",
  "thead", "tr", "u", "ul",
]);
const SPLITS = new Set(["address", "article", "aside", "div", "dd", "dl", "dt", "footer", "header", "main", "section"]);

/** What became of the pictures in pasted HTML: files to upload by their address meanwhile, others by name or address. */
export class PastedPictures {
  files = new Map();
  lost = [];
  remote = [];

  /** Return the address that a picture has in the text, "" if it cannot be taken. */
  take(src) {
    if (/^https?:/i.test(src) && URL.canParse(src)) {
      if (new URL(src).origin !== location.origin) this.remote.push(src);
      return src;
    }
    const file = /^data:image\//i.test(src) ? fileOf(src) : null;
    if (!file) {
      this.lost.push(/^data:/i.test(src) ? _("a picture without readable data") : src.split(/[\\/]/).at(-1) || _("a picture without an address"));
      return "";
    }
    const address = URL.createObjectURL(file);
    this.files.set(address, file);
    return address;
  }
}

/** Return the file in a `data:` address, null if it is not readable. */
function fileOf(address) {
  const [head, ...rest] = address.split(",");
  const type = /^data:([^;,]+)/i.exec(head)?.[1] ?? "";
  try {
    const text = decodeURIComponent(rest.join(","));
    const bytes = /;base64$/i.test(head.trim()) ? Uint8Array.from(atob(text.replace(/\s/g, "")), (sign) => sign.charCodeAt(0)) : text;
    return new File([bytes], `picture.${type.split("/")[1].replace(/\W.*/, "")}`, { type });
  } catch {
    return null;
  }
}

/** Return pasted HTML as a text may have it; that of this editor as it is. `pictures` is asked for each picture. */
export function cleanPasted(html, pictures) {
  if (/\bdata-pm-slice\b/.test(html)) return normalized(html);
  const inert = html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=/gi, ` ${STYLE}=`));
  const content = fragmentOf(inert.replace(/<!--\[if [\s\S]*?<!\[endif\]-->/g, "").replace(/<!\[[^>]*\]>/g, ""));
  for (const each of content.querySelectorAll(DROPPED)) each.remove();
  wordLists(content);
  const made = document.createElement("div");
  made.append(cleaned(content, pictures));
  for (const each of made.querySelectorAll("p")) {
    if (!each.textContent.trim() && !each.querySelector("img")) each.remove();
  }
  for (const each of made.querySelectorAll("li > p:first-child, td > p:first-child, th > p:first-child")) {
    if (!each.parentNode.querySelector(":scope > p ~ p")) each.replaceWith(...each.childNodes);
  }
  return made.innerHTML;
}

function styleOf(element) {
  const written = element.getAttribute(STYLE) ?? "";
  return Object.fromEntries(written.split(";").map((each) => each.split(":").map((part) => part.trim().toLowerCase())).filter((pair) => pair.length === 2));
}

/** Return the elements that stand for the style of an element. */
function marksOf(element) {
  const style = styleOf(element);
  const found = [];
  const isHeading = /^h[1-6]$/.test(element.localName);
  if (/^(bold|[6-9]00)/.test(style["font-weight"] ?? "") && !isHeading) found.push("strong");
  if (style["font-style"] === "italic") found.push("em");
  if (/line-through/.test(`${style["text-decoration"]} ${style["text-decoration-line"]}`)) found.push("s");
  if (style["vertical-align"] === "super") found.push("sup");
  if (style["vertical-align"] === "sub") found.push("sub");
  return found.filter((name) => !element.closest(name));
}

function cleaned(parent, pictures) {
  const made = document.createDocumentFragment();
  for (const node of parent.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) made.append(node.data.replace(/\u00a0/g, " "));
    else if (node.nodeType === Node.ELEMENT_NODE) made.append(cleanedElement(node, pictures));
  }
  return made;
}

function cleanedElement(node, pictures) {
  const name = RENAMED[node.localName] ?? node.localName;
  let content = cleaned(node, pictures);
  const { "font-weight": weight = "" } = styleOf(node);
  const isNoMark = (name === "strong" && /^(normal|[1-4]00)/.test(weight)) || (name === "a" && !node.getAttribute("href"));
  const isBlock = /^(p|h[2-6]|li|blockquote|t[dh])$/.test(name) || SPLITS.has(name);
  const hasText = content.textContent.trim() !== "";
  if (hasText && (isBlock ? !node.querySelector("p, li, div, td, h1, h2, h3") : true)) {
    for (const mark of marksOf(node)) if (mark !== name) content = wrap(mark, content);
  }
  if (SPLITS.has(name)) return hasText && !hasBlocks(content) ? wrap("p", content) : content;
  if (!NAMES.has(name) || isNoMark) return content;
  if (name === "img") {
    const src = pictures.take((node.getAttribute("src") ?? "").trim());
    if (!src) return "";
    node.setAttribute("src", src);
  }
  const kept = [...node.attributes].filter((each) => KEPT.has(each.name) && !/^javascript:/i.test(each.value.trim()));
  const element = fragmentOf(startTag(name, Object.fromEntries(kept.map((each) => [each.name, each.value])))).firstChild ?? document.createElement(name);
  element.append(content);
  return element;
}

function hasBlocks(content) {
  return Boolean(content.querySelector?.("p, ul, ol, h2, h3, h4, h5, h6, blockquote, pre, table, figure, hr"));
}

function wrap(name, content) {
  const made = document.createElement(name);
  made.append(content);
  return made;
}

/** Make lists of the paragraphs that Word writes for the items of lists. */
function wordLists(content) {
  const lists = [];
  let last = null;
  for (const item of [...content.querySelectorAll("p[class*='MsoListParagraph'], [data-pasted-style*='mso-list:']")]) {
    const level = Number(/level(\d)/.exec(item.getAttribute(STYLE) ?? "")?.[1] ?? 0);
    if (!level || item.localName === "span") continue;
    const sign = [...item.querySelectorAll("span")].find((each) => /mso-list:\s*ignore/i.test(each.getAttribute(STYLE) ?? ""));
    const name = /^\s*(\d+|[a-z]{1,3}|[ivx]+)[.)]/i.test(sign?.textContent ?? "") ? "ol" : "ul";
    sign?.remove();
    if (item.previousElementSibling !== last) lists.length = 0;
    lists.length = Math.min(lists.length, level);
    if (lists.length && lists.length === level && lists.at(-1).localName !== name && level === 1) lists.length = 0;
    while (lists.length < level) {
      const list = document.createElement(name);
      if (lists.length) {
        if (!lists.at(-1).lastElementChild) lists.at(-1).append(document.createElement("li"));
        lists.at(-1).lastElementChild.append(list);
      } else item.before(list);
      lists.push(list);
    }
    const made = document.createElement("li");
    made.append(...item.childNodes);
    lists.at(-1).append(made);
    item.remove();
    [last] = lists;
  }
}
