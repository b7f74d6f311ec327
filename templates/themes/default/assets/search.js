// Search on the search page: Pagefind looks, this shows. Words and addresses stand in the form's data attributes.
// Elements are found by ids that begin with _, which the text of entries cannot have.

const form = document.getElementById("_search");
const input = form.elements.q;
const words = form.dataset;
const status = document.getElementById("_found");
const list = document.getElementById("_results");
const more = document.getElementById("_more");
const PAGE = 10;
const PAUSE_MS = 180;
const isPage = !form.closest("dialog");

let engine;
let waiting;
let asked = 0;
let results = [];

const load = () => engine ??= import(words.bundle).then(async pagefind => {
  await pagefind.options({baseUrl: words.base});
  await pagefind.init();
  return pagefind;
}).catch(error => {
  engine = undefined;
  throw error;
});

const say = (text, values = {}) => {
  status.textContent = text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
};

// The excerpt is HTML; of it only the text and the marks are taken over.
function excerpt(html) {
  const shown = document.createElement("p");
  shown.className = "summary";
  for (const node of new DOMParser().parseFromString(html, "text/html").body.childNodes) {
    const part = node.nodeName === "MARK" ? document.createElement("mark") : document.createTextNode("");
    part.textContent = node.textContent;
    shown.append(part);
  }
  return shown;
}

function row(found) {
  const item = document.createElement("li");
  const heading = document.createElement("h2");
  const link = document.createElement("a");
  item.className = "row";
  link.href = found.url;
  link.textContent = found.meta.title;
  heading.append(link);
  item.append(heading, excerpt(found.excerpt));
  if (found.meta.date) {
    const date = document.createElement("p");
    date.className = "meta";
    date.textContent = found.meta.date;
    item.prepend(date);
  }
  return item;
}

async function show(number) {
  const from = list.children.length;
  const found = await Promise.all(results.slice(from, from + PAGE).map(result => result.data()));
  if (number !== asked) return;
  list.append(...found.map(row));
  more.hidden = list.children.length >= results.length;
  if (from) list.children[from]?.querySelector("a").focus();
}

async function search() {
  const number = ++asked;
  const text = input.value.trim();
  if (isPage) history.replaceState(null, "", text ? `?q=${encodeURIComponent(text)}` : location.pathname);
  if (!text) {
    results = [];
    list.replaceChildren();
    more.hidden = true;
    return say("");
  }
  if (!engine) say(words.wait);
  try {
    const options = words.filter ? {filters: {locale: words.filter}} : {};
    const found = (await (await load()).search(text, options)).results;
    if (number !== asked) return;
    results = found;
    list.replaceChildren();
    await show(number);
    if (number !== asked) return;
    say(found.length ? (found.length === 1 ? words.one : words.many) : words.none, {words: text, count: found.length});
  } catch {
    if (number === asked) say(words.failed);
  }
}

function clear() {
  input.value = "";
  search();
  input.focus();
}

function step(event) {
  if (!isPage && !event.target.closest("dialog")) return;
  const links = [input, ...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const to = at < 0 ? undefined : links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (!to) return;
  event.preventDefault();
  to.focus();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
  else if (event.key === "Escape" && input.value && isPage) clear();
  else if (event.key === "/" && isPage && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
    input.select();
  }
});
form.addEventListener("submit", event => {
  event.preventDefault();
  clearTimeout(waiting);
  search();
});
input.addEventListener("focus", () => load().catch(() => {}), {once: true});
input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, PAUSE_MS);
});
more.addEventListener("click", () => show(asked));

if (isPage) input.value = new URLSearchParams(location.search).get("q") ?? "";
input.focus();
if (input.value) search();
