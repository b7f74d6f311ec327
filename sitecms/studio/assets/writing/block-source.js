// What the form of a block is filled in with: a directive as it stands in Markdown, or the HTML that one has written.

import { askBlock, blockForms } from "./block-form.js";
import { chooseBlock } from "./block-choice.js";
import { directiveName, SOURCE } from "./directives.js";
import { _ } from "../texts.js";

const HEAD = /^(:{3,})[ \t]*([A-Za-z][\w-]*)(.*)$/;
const BRACES = /\{((?:"[^"\n]*"|'[^'\n]*'|[^{}"'])*)\}\s*$/;
const PART = /([#.])([^\s"'{}=#.]+)|([a-zA-Z][\w-]*)(?:=("[^"\n]*"|'[^'\n]*'|[^\s"'{}=]+))?/g;
const FENCE = /^\s*(`{3,}|~{3,})/;
/** Where the HTML of a built-in block has an argument: an element in it, and the attribute, or its text without one. */
const PLACES = {
  gallery: {},
  embed: { url: ["a", "href"], title: ["a > span"], poster: ["a > img", "src"] },
  video: { src: ["video", "src"], poster: ["video", "poster"], captions: ["track", "src"], captions_language: ["track", "srclang"], title: ["video > a"] },
  audio: { src: ["audio", "src"], title: ["audio > a"] },
  bookmark: { url: ["a", "href"], title: ["a strong"], description: ["a > span > span"], image: ["a > img", "src"], site: ["a small"] },
  file: { src: ["a", "href"], title: ["a"] },
  button: { url: ["a", "href"], title: ["a"] },
};
const FLAGS = { video: ["loop", "muted"], audio: ["loop"] };
const OWN_CLASSES = /^(gallery|embed|bookmark|video|audio|file|buttons|columns-\d)$/;

/** Return the words of an element as Markdown; marks and links stay HTML. */
function inlineMarkdown(element) {
  const parts = [...(element?.childNodes ?? [])].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ").replace(/[\\`*_[\]<>&~^=$]/g, (sign) => (sign === "&" ? "&amp;" : `\\${sign}`));
    const [start, end] = node.cloneNode(false).outerHTML?.split(/(?=<\/)/) ?? ["", ""];
    return `${start}${inlineMarkdown(node)}${end ?? ""}`;
  });
  return parts.join("").trim();
}

/** Return arguments as pairs, true for one without a value. */
function readOptions(braces) {
  const options = new Map();
  for (const [, sign, word, name, value] of braces.matchAll(PART)) {
    if (sign === "#") options.set("id", word);
    else if (sign) options.set("class", [options.get("class"), word].filter(Boolean).join(" "));
    else options.set(name.toLowerCase(), value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2"));
  }
  return [...options];
}

/** Return the parts of the first line of a directive, without its colons. */
function readHead(line) {
  const [, name, rest] = /^([A-Za-z][\w-]*)(.*)$/s.exec(line) ?? [null, "", ""];
  const braces = BRACES.exec(rest);
  const title = (braces ? rest.slice(0, braces.index) : rest).trim().replace(/&#123;/g, "{");
  return { name: name.toLowerCase(), title, braces: braces?.[1].trim() ?? "", options: readOptions(braces?.[1] ?? "") };
}

/** Return what is said beside an argument's own default. */
function isSaid(name, key, value, found) {
  const address = found.get("url") ?? found.get("src") ?? "";
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, "") : "";
  if (key === "site") return Boolean(value) && value !== host;
  if (key !== "title" || name === "button") return Boolean(value);
  return Boolean(value) && !(name === "embed" ? [host] : [address, address.split("/").at(-1)]).includes(value);
}

function mediaOptions(name, element) {
  const found = new Map();
  for (const [key, [selector, attribute]] of Object.entries(PLACES[name])) {
    const part = element.querySelector(selector);
    const value = attribute ? part?.getAttribute(attribute) : part?.textContent.trim();
    if (isSaid(name, key, value, found)) found.set(key, value);
  }
  for (const flag of FLAGS[name] ?? []) if (element.querySelector(name).hasAttribute(flag)) found.set(flag, true);
  const [, columns] = /\bcolumns-(\d)/.exec(element.className) ?? [];
  if (columns) found.set("columns", columns);
  const [, ratio] = /\bratio-([\d-]+)/.exec(element.querySelector("a")?.className ?? "") ?? [];
  if (ratio) found.set("ratio", ratio.replace("-", ":"));
  const classes = [...element.classList].filter((each) => !OWN_CLASSES.test(each)).join(" ");
  if (classes) found.set("class", classes);
  if (element.id) found.set("id", element.id);
  return [...found];
}

function picturesOf(element) {
  return [...element.querySelectorAll(":scope > figure")].map((figure) => {
    const [link, image, caption] = ["a", "img", "figcaption"].map((name) => figure.querySelector(name));
    return { url: image?.getAttribute("src") ?? "", alt: image?.getAttribute("alt") ?? "", caption: caption?.textContent.trim() ?? "", link: link?.getAttribute("href") };
  });
}

/** Return what the form of the block is filled in with, from its HTML; `hasContent` says that it is formatted in place. */
export function readElement(element, hasContent) {
  const source = element.getAttribute(SOURCE);
  if (source) {
    const [head, ...lines] = source.split("\n");
    return { ...readHead(head), content: lines.join("\n"), isInPlace: hasContent, isFromSource: true };
  }
  const name = directiveName(element);
  if (name in PLACES) {
    const pictures = name === "gallery" ? picturesOf(element) : [];
    return { name, options: mediaOptions(name, element), content: inlineMarkdown(element.querySelector(":scope > figcaption")), pictures };
  }
  const title = inlineMarkdown(element.querySelector(":scope > :is(.callout-title, .tab-title, summary)"));
  return { name, title, options: element.hasAttribute("open") ? [["open", true]] : [], isInPlace: true };
}

/** Return the directive in whose first line the cursor is: its range and parts, or null. */
function directiveAt(text, at) {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const lines = text.slice(start).split("\n");
  const head = HEAD.exec(lines[0]);
  if (!head) return null;
  let depth = 0;
  let fence = "";
  const last = lines.findIndex((line) => {
    const found = FENCE.exec(line)?.[1];
    if (fence) fence = found?.startsWith(fence) ? "" : fence;
    else if (found) fence = found;
    else if (/^\s*:{3,}[ \t]*$/.test(line)) depth -= 1;
    else if (HEAD.test(line)) depth += 1;
    return depth === 0;
  });
  if (last < 1) return null;
  const content = lines.slice(1, last).join("\n");
  return { from: start, to: start + lines.slice(0, last + 1).join("\n").length, content, head: head[0].replace(/^:+[ \t]*/, "") };
}

const PICTURE = /^!\[((?:\\.|[^\]\\])*)\]\((?:<([^>]*)>|(\S+?))(?:\s+"((?:\\.|[^"\\])*)")?\)$/;
const LINKED = /^\[(!\[.*\))\]\((?:<([^>]*)>|(\S+?))\)$/;

/** Return the pictures of a gallery in Markdown and its caption; null if it has others than plain lines. */
function readGallery(content) {
  const pictures = [];
  const rest = [];
  const plain = (text = "") => text.replace(/\\(.)/g, "$1");
  for (const line of content.split("\n").map((each) => each.trim()).filter(Boolean)) {
    const [, inner, bracketed, bare] = LINKED.exec(line) ?? [null, line];
    const picture = PICTURE.exec(inner);
    if (!picture && /!\[/.test(line)) return null;
    if (picture) pictures.push({ alt: plain(picture[1]), url: picture[2] ?? picture[3], caption: plain(picture[4]), link: bracketed ?? bare });
    else rest.push(line);
  }
  return { pictures, content: rest.join("\n") };
}

/**
 * Ask for the block in whose first line the cursor of a text area is, or for a new one. Return the range and its new text,
 * with what is to be selected in it; null if it was cancelled.
 */
export async function blockIn(area) {
  const { selectionStart: from, selectionEnd: to, value } = area;
  const all = await blockForms();
  const found = directiveAt(value, from);
  const head = found && readHead(found.head);
  const block = head && all.get(head.name);
  if (!block) return insertedIn(area, all, { from, to });
  const read = block.content === "pictures" ? readGallery(found.content) : { content: found.content };
  if (!read) return { problem: _("This gallery has more than its form can hold. Change it in the text.") };
  const answer = await askBlock({ ...head, ...read, isInPlace: block.content === "blocks" }, area, found.content);
  return answer && { ...found, ...answer, selected: [0, answer.text.split("\n", 1)[0].length] };
}

async function insertedIn(area, all, range) {
  const name = await chooseBlock([...all.values()].filter(({ parent }) => !parent));
  if (!name) return null;
  const { start, content } = all.get(name);
  const placed = start || (content === "blocks" ? _("Text") : "");
  const answer = await askBlock({ name, isNew: true }, area, placed);
  if (!answer) return null;
  const { text } = answer;
  const at = content === "blocks" && !start ? text.indexOf("\n") + 1 : text.length;
  return { ...range, text, isNew: true, selected: [at, content === "blocks" && !start ? at + placed.length : at] };
}
