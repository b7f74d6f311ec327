// HTML as text: cut at its top level without changing a byte, and compared regardless of how it is written.

export const VOID = new Set(
  ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"],
);
export const BLOCKS = new Set([
  "address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer",
  "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section",
  "summary", "table", "ul",
]);
/** Elements around words, which can be marks of text. */
export const WRAPPERS = new Set([
  "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s", "samp",
  "small", "span", "strong", "sub", "sup", "time", "u", "var",
]);
const RAW = new Set(["script", "style", "textarea", "title", "xmp", "template", "plaintext", "noscript", "select"]);
const TOKEN = /<(?:(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*>|(?=.))/gs;

const START_TAG = /<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*))?/g;

/** Return text as HTML. */
export function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/\u00a0/g, "&nbsp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Return the start tag of an element; attributes are an object or null. */
export function startTag(name, attributes) {
  const all = Object.entries(attributes ?? {});
  return `<${name}${all.map(([key, value]) => ` ${key}="${escapeText(value).replace(/"/g, "&quot;")}"`).join("")}>`;
}

/** Return HTML without attributes that would run or style something: browsers report each, though they refuse it. */
function harmless(html) {
  if (!/\s(style|on[a-z]+)\s*=/i.test(html)) return html;
  return html.replace(START_TAG, (tag) => tag.replace(ATTRIBUTE, (all, name) => (/^(style|on[a-z]+)$/i.test(name) ? "" : all)));
}

/** Return the content of HTML; nothing in it is loaded or run. */
export function fragmentOf(html) {
  const template = document.createElement("template");
  template.innerHTML = harmless(html);
  return template.content;
}

/** Return HTML as the browser writes it, with every tag closed. */
export function normalized(html) {
  const template = document.createElement("template");
  template.content.append(fragmentOf(html));
  return template.innerHTML;
}

/** Return the attributes of an element as an object, or null if it has none. */
export function attributesOf(element, ...without) {
  const kept = [...element.attributes].filter(({ name }) => name !== "data-pm-slice" && !without.includes(name));
  return kept.length ? Object.fromEntries(kept.map(({ name, value }) => [name, value])) : null;
}

/**
 * Cut HTML into what stands at its top level: `{ blocks: [{ before, source, isLoose }], after }`, whose texts together
 * are the HTML, byte by byte. A loose block is text outside any block. Return null if tags are not written and nested
 * as the sanitiser writes them.
 */
export function cut(html) {
  const blocks = [];
  const open = [];
  // Where the space before the next block begins.
  let gap = 0;
  // Where the present block begins, -1 between blocks.
  let start = -1;
  let isLoose = false;
  let position = 0;
  const end = (at) => {
    const source = html.slice(start, at);
    const kept = isLoose ? source.trimEnd() : source;
    blocks.push({ before: html.slice(gap, start), source: kept, isLoose });
    gap = start + kept.length;
    start = -1;
  };
  const text = (from, to) => {
    const first = html.slice(from, to).search(/\S/);
    if (first < 0 || start >= 0) return;
    start = from + first;
    isLoose = true;
  };
  for (const match of html.matchAll(TOKEN)) {
    const [whole, slash, written] = match;
    if (!written || RAW.has(written.toLowerCase())) return null;
    const name = written.toLowerCase();
    const at = match.index;
    if (!open.length) text(position, at);
    position = at + whole.length;
    if (slash) {
      if (open.pop() !== name) return null;
      if (!open.length && !isLoose) end(position);
      continue;
    }
    if (!open.length && BLOCKS.has(name)) {
      if (start >= 0) end(at);
      start = at;
      isLoose = false;
    } else if (!open.length && start < 0) {
      start = at;
      isLoose = true;
    }
    if (!VOID.has(name)) open.push(name);
    else if (!open.length && !isLoose) end(position);
  }
  if (open.length) return null;
  text(position, html.length);
  if (start >= 0) end(html.length);
  return { blocks, after: html.slice(gap) };
}

/**
 * Return a text that is the same for two contents that mean the same: space is collapsed as browsers show it, and
 * around words the order of marks does not count.
 */
export function outline(root) {
  const parts = [];
  const last = () => parts.at(-1);
  const add = (text, marks, isPre) => {
    let value = isPre ? text : text.replace(/[ \t\n\r\f]+/g, " ");
    if (!isPre && value.startsWith(" ") && (!last()?.marks || last().text.endsWith(" ")) && last()?.leaf !== true) {
      value = value.slice(1);
    }
    if (!value) return;
    const key = marks.slice().sort().join();
    if (last()?.marks !== undefined && last().marks === key) last().text += value;
    else parts.push({ marks: key || "-", text: value, isPre });
  };
  const bound = (tag, isBlock) => {
    const before = last();
    if (isBlock && before?.marks && !before.isPre && before.text.endsWith(" ")) {
      before.text = before.text.slice(0, -1);
      if (!before.text) parts.pop();
    }
    parts.push({ tag, leaf: !isBlock });
  };
  const walk = (node, marks, isPre) => {
    if (node.nodeType === Node.TEXT_NODE) return add(node.data, marks.length ? marks : ["-"], isPre);
    if (node.nodeType !== Node.ELEMENT_NODE) return bound(`?${node.nodeType}`, true);
    const name = node.localName;
    const all = Object.entries(attributesOf(node) ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
    const mark = JSON.stringify([name, all]);
    if (WRAPPERS.has(name) && node.textContent && node.parentNode.localName !== "pre") {
      for (const child of node.childNodes) walk(child, [...marks, mark], isPre);
      return undefined;
    }
    const isBlock = name === "br" || BLOCKS.has(name) || /^(t[rdh]|t(head|body|foot)|caption|col(group)?)$/.test(name);
    bound(mark + (isBlock ? "" : marks.slice().sort().join()), isBlock && name !== "br");
    if (name === "br") last().leaf = false;
    for (const child of (name === "template" ? node.content : node).childNodes) {
      walk(child, isBlock ? [] : marks, isPre || name === "pre");
    }
    if (!VOID.has(name)) bound(`/${name}`, isBlock);
    return undefined;
  };
  for (const child of root.childNodes) walk(child, [], false);
  bound("", true);
  return JSON.stringify(parts.map(({ tag, marks, text }) => tag ?? [marks, text]));
}
