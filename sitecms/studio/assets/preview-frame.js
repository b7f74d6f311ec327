// Runs in the preview of a page, which has an origin without a name. Takes newer versions of the page from the studio
// by messages that carry the nonce of this page, and changes what differs, so that scroll and open parts stay.

const own = document.querySelector("#sitecms-preview");
const { nonce, morph } = own.dataset;
const LOADED = "link[rel~=stylesheet], script[src], style";
const ACTED_ON = "button, summary, input, select, textarea, label, video, audio, iframe";
const BLOCKS = "h1, h2, h3, h4, h5, h6, p, li, td, th, dt, dd, figcaption, blockquote, pre, img";
own.remove();
const library = morph ? import(morph).catch(() => null) : Promise.resolve(null);

/** Send a message to the studio, which knows it by the nonce. */
function tell(kind, values = {}) {
  parent.postMessage({ nonce, kind, ...values }, "*");
}

/** Return the styles and scripts that a head loads: a page with others has to be loaded as a whole. */
function loadedBy(head) {
  const all = [...head.querySelectorAll(LOADED)].filter((element) => element.id !== own.id);
  return all.map((element) => element.outerHTML).join("\n");
}

const loaded = loadedBy(document.head);

/** Return the elements that a reader has opened or closed, by their place. */
function openDetails() {
  return [...document.querySelectorAll("details")].map((element) => element.open);
}

/** Change the page to a newer version of it. */
async function change(html) {
  const next = new DOMParser().parseFromString(html, "text/html");
  if (loadedBy(next.head) !== loaded) {
    tell("reload", { scroll: scrollY });
    return;
  }
  for (const element of next.querySelectorAll("noscript")) element.remove();
  document.title = next.title;
  const found = await library;
  if (found) {
    const keepsOpen = (name, element) => !(name === "open" && element.localName === "details");
    const callbacks = { beforeAttributeUpdated: keepsOpen };
    found.Idiomorph.morph(document.body, next.body, { morphStyle: "outerHTML", callbacks });
  } else {
    const [opened, scroll] = [openDetails(), scrollY];
    document.body.replaceWith(document.adoptNode(next.body));
    [...document.querySelectorAll("details")].forEach((element, place) => (element.open = opened[place] ?? element.open));
    scrollTo(0, scroll);
  }
  tell("changed");
}

addEventListener("message", (event) => {
  if (event.source !== parent || event.data?.nonce !== nonce) return;
  if (typeof event.data.html === "string") change(event.data.html);
  if (typeof event.data.scroll === "number") scrollTo({ top: event.data.scroll, behavior: "instant" });
});

/** Stay on the page, and tell the studio the text that was clicked. */
function clicked(event) {
  const link = event.target.closest("a[href], area[href]");
  if (link && !link.getAttribute("href").startsWith("#")) event.preventDefault();
  const block = event.target.closest(BLOCKS);
  if (!block || event.target.closest(ACTED_ON)) return;
  const text = (block.localName === "img" ? block.alt : block.textContent).trim();
  if (text) tell("clicked", { text: text.slice(0, 400) });
}

addEventListener("click", clicked, true);
addEventListener("auxclick", (event) => event.target.closest("a[href]") && event.preventDefault(), true);
addEventListener("submit", (event) => event.preventDefault(), true);
tell("ready");
