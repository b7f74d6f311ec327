// Comforts of every page that work only with a script. Without it a page can be read and used all the same.

// Menus close on Escape and on a click elsewhere.

const opened = () => [...document.querySelectorAll(".menu details[open]")];

document.addEventListener("click", event => {
  for (const menu of opened()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  for (const menu of opened()) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
});
document.addEventListener("focusin", event => {
  for (const menu of opened()) if (!menu.parentElement.contains(event.target)) menu.open = false;
});

// Colours: the button changes light and dark, and what is chosen is kept for this site.

const root = document.documentElement;
const words = document.getElementById("_words")?.dataset ?? {};
const deviceIsDark = matchMedia("(prefers-color-scheme: dark)");
const toScheme = document.querySelector(".to-scheme");
const byScheme = [...document.querySelectorAll("meta[name='theme-color'][media], source[media*='prefers-color-scheme']")]
  .map(element => ({element, media: element.media}));

function showScheme() {
  const {scheme} = root.dataset;
  for (const {element, media} of byScheme) element.media = !scheme ? media : media.includes(scheme) ? "all" : "not all";
  toScheme.setAttribute("aria-pressed", String(scheme ? scheme === "dark" : deviceIsDark.matches));
}

if (toScheme) {
  toScheme.addEventListener("click", () => {
    const isDark = toScheme.getAttribute("aria-pressed") === "true";
    root.dataset.scheme = isDark ? "light" : "dark";
    try {
      localStorage.setItem("sitecms-scheme", root.dataset.scheme);
    } catch {
      // Storage is switched off: the choice holds for this page.
    }
    showScheme();
  });
  deviceIsDark.addEventListener("change", showScheme);
  showScheme();
}

// Buttons that copy: a block of code, the address of a post.

async function copy(button, text) {
  const before = button.textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = words.copied;
  setTimeout(() => { button.textContent = before; }, 2000);
}

function button(text, name, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = name;
  made.textContent = text;
  made.addEventListener("click", () => action(made));
  return made;
}

if (navigator.clipboard) {
  for (const code of document.querySelectorAll(".highlight > pre > code")) {
    code.closest(".highlight").append(button(words.copy, "copy", made => copy(made, code.textContent.replace(/\n$/, ""))));
  }
}
for (const link of document.querySelectorAll("button[data-copy]")) {
  link.hidden = !navigator.clipboard;
  link.addEventListener("click", () => copy(link, link.dataset.copy));
}

// Headings of texts have a link to themselves.

for (const heading of document.querySelectorAll(".prose > :is(h2, h3, h4, h5, h6)[id]")) {
  if (heading.querySelector("a")) continue;
  const link = document.createElement("a");
  link.href = `#${encodeURIComponent(heading.id)}`;
  link.className = "anchor";
  link.setAttribute("aria-label", `${words.anchor}: ${heading.textContent.trim()}`);
  heading.append(link);
}

// Pictures of a gallery open in a window over the page, where arrows lead to the next one.

function addSheet(address) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  document.querySelector("link[rel='stylesheet']").after(link);
}

function lightbox(links) {
  const dialog = document.createElement("dialog");
  const image = document.createElement("img");
  const line = document.createElement("p");
  const caption = document.createElement("span");
  let here = 0;
  const show = number => {
    here = (number + links.length) % links.length;
    const shown = links[here].querySelector("img");
    image.src = links[here].href;
    image.alt = shown.alt;
    caption.textContent = links[here].closest("figure").querySelector("figcaption")?.textContent ?? "";
  };
  const step = by => show(here + (getComputedStyle(dialog).direction === "rtl" ? -by : by));
  dialog.className = "lightbox";
  dialog.setAttribute("aria-label", words.pictures);
  line.append(caption);
  if (links.length > 1) line.append(button("‹", "previous", () => step(-1)), button("›", "next", () => step(1)));
  for (const [name, label] of [["previous", words.previous], ["next", words.next]]) {
    line.querySelector(`.${name}`)?.setAttribute("aria-label", label);
  }
  dialog.append(image, line, button(words.close, "close", () => dialog.close()));
  dialog.addEventListener("keydown", event => {
    if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "ArrowRight") step(1);
  });
  dialog.addEventListener("close", () => {
    links[here].focus();
    dialog.remove();
  });
  return number => {
    show(number);
    document.body.append(dialog);
    dialog.showModal();
  };
}

const isPlain = event => event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

let hasLightbox = false;

for (const gallery of document.querySelectorAll(".gallery")) {
  const links = [...gallery.querySelectorAll("a")].filter(link => link.querySelector("img") && /\/media\//.test(link.pathname));
  if (!links.length) continue;
  if (!hasLightbox) addSheet(words.lightbox);
  hasLightbox = true;
  const open = lightbox(links);
  links.forEach((link, number) => link.addEventListener("click", event => {
    if (!isPlain(event)) return;
    event.preventDefault();
    open(number);
  }));
}

// Search in a window over the page, by "/", Ctrl K or its link: the form is that of the search page.

const toSearch = document.querySelector("a.to-search:not([aria-current])");
let finder;

async function makeFinder() {
  const answer = await fetch(toSearch.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = page.getElementById("_search");
  const heading = document.createElement("h2");
  const dialog = document.createElement("dialog");
  const sheet = page.querySelector("link[href*='/search.'][rel='stylesheet']");
  dialog.className = "finder";
  heading.id = "_finder";
  heading.textContent = page.querySelector("h1").textContent;
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(heading, form, ...["_found", "_results"].map(id => page.getElementById(id)),
    page.getElementById("_more").parentElement, button(words.close, "close", () => dialog.close()));
  if (sheet) document.head.append(document.adoptNode(sheet));
  document.body.append(dialog);
  dialog.addEventListener("click", event => event.target === dialog && dialog.close());
  dialog.showModal();
  await import(page.querySelector("script[src*='/search.']").src);
  return dialog;
}

async function openFinder() {
  try {
    if (finder) (await finder).showModal();
    else await (finder = makeFinder());
  } catch {
    location.assign(toSearch.href);
  }
}

if (toSearch) {
  const isText = element => element.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", event => {
    const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isText(event.target);
    if (!isK && !isSlash || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    openFinder();
  });
  toSearch.addEventListener("click", event => {
    if (!isPlain(event)) return;
    event.preventDefault();
    openFinder();
  });
}

// Players and tabs in texts: a click on a link to a video or song shows the player in its place; sections become tabs.

const PLAYERS = [
  "https://www.youtube-nocookie.com/", "https://player.vimeo.com/", "https://open.spotify.com/",
  "https://w.soundcloud.com/", "https://codepen.io/",
];

document.addEventListener("click", event => {
  const link = event.target.closest?.("a[data-embed]");
  if (!link || !isPlain(event) || !PLAYERS.some(place => link.dataset.embed.startsWith(place))) return;
  event.preventDefault();
  const frame = document.createElement("iframe");
  frame.src = link.dataset.embed;
  frame.title = link.textContent.trim();
  frame.allow = "autoplay; encrypted-media; fullscreen; picture-in-picture";
  frame.allowFullscreen = true;
  const box = document.createElement("div");
  box.className = link.className;
  box.append(frame);
  link.replaceWith(box);
  frame.focus();
});

let made = 0;

function makeTabs(tabs) {
  const panels = [...tabs.children].filter(child => child.matches(".tab"));
  if (panels.length < 2) return;
  const list = document.createElement("div");
  list.className = "tab-list";
  list.setAttribute("role", "tablist");
  const buttons = panels.map(panel => {
    made += 1;
    const title = panel.querySelector(":scope > .tab-title");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title?.textContent ?? String(made);
    button.id = `_tab-${made}`;
    button.setAttribute("role", "tab");
    panel.id ||= `_panel-${made}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", button.id);
    panel.tabIndex = 0;
    button.setAttribute("aria-controls", panel.id);
    list.append(button);
    return button;
  });
  const select = chosen => buttons.forEach((button, place) => {
    const isChosen = button === chosen;
    button.setAttribute("aria-selected", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    panels[place].hidden = !isChosen;
  });
  const keys = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity};
  list.addEventListener("click", event => buttons.includes(event.target) && select(event.target));
  list.addEventListener("keydown", event => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    const step = getComputedStyle(list).direction === "rtl" && Math.abs(keys[event.key]) === 1 ? -1 : 1;
    const here = buttons.indexOf(document.activeElement);
    const next = keys[event.key] === -Infinity ? 0
      : keys[event.key] === Infinity ? buttons.length - 1
      : (here + step * keys[event.key] + buttons.length) % buttons.length;
    select(buttons[next]);
    buttons[next].focus();
  });
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const opened = panels.findIndex(panel => target && panel.contains(target));
  select(buttons[Math.max(opened, 0)]);
  tabs.prepend(list);
  tabs.classList.add("is-live");
}

document.querySelectorAll(".tabs").forEach(makeTabs);
