// Blocks that a directive writes, as they stand in HTML: their names, and the element that holds their content.

export const SOURCE = "data-directive";
const CONTENT = "data-directive-content";
const MARK = "\ue000content\ue000";
const FIGURES = ["gallery", "embed", "bookmark", "video", "audio"];
const NAMES = { "details": "details", "div.tabs": "tabs", "section.tab": "tab", "p.buttons": "button", "p.file": "file" };
const TITLES = "p.callout-title, p.tab-title, summary";
/** Elements whose content is formatted in place. */
export const CONTAINERS = `aside.callout, details, div.tabs, section.tab, [${SOURCE}]`;
/** Elements that are changed by a form alone. */
export const FORMED = `[${SOURCE}], p.buttons, p.file`;

/** Return the name of the directive that writes such an element, "" for none. */
export function directiveName(element) {
  const own = element?.getAttribute(SOURCE);
  if (own) return /^[\w-]*/.exec(own)[0].toLowerCase();
  if (element?.localName === "figure") return FIGURES.find((name) => element.classList.contains(name)) ?? "";
  if (element?.matches("aside.callout")) return /\bcallout-(\w+)/.exec(element.className)?.[1] ?? "";
  return Object.entries(NAMES).find(([selector]) => element?.matches(selector))?.[1] ?? "";
}

/** Return how many elements stand before the content of a built-in block, -1 if it has none. */
function titlesOf(element) {
  const has = Boolean(element.firstElementChild?.matches(TITLES));
  return element.localName === "details" && !has ? -1 : Number(has);
}

/**
 * Return an element without its content: `{ prefix, suffix, content }`, the HTML before and behind the content, and an
 * element with that content. Return null if the element has no place for content.
 */
export function shellOf(element) {
  if (!element.matches(CONTAINERS)) return null;
  const copy = element.cloneNode(true);
  const isOwn = !copy.hasAttribute(SOURCE);
  const hole = isOwn || copy.hasAttribute(CONTENT) ? copy : copy.querySelector(`[${CONTENT}]`);
  const count = hole === null ? -1 : isOwn ? titlesOf(copy) : Number(hole.getAttribute(CONTENT));
  if (count < 0) return null;
  const last = count ? hole.children[count - 1] : null;
  const content = copy.ownerDocument.createElement("div");
  while (hole.lastChild !== last && hole.lastChild) content.prepend(hole.lastChild);
  hole.append(MARK);
  const [prefix, suffix, ...more] = copy.outerHTML.split(MARK);
  return more.length ? null : { prefix, suffix, content };
}
