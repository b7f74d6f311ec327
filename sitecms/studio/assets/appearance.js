// How a search engine and other sites show the entry as the form has it: what the site writes into the head of its page,
// and the picture that it has or that is drawn for it. `entry-page.js` loads this when the part is first opened.

import { _ } from "./texts.js";
import { make } from "./writing/elements.js";
import { afterPause } from "./writing/pauses.js";

const PAUSE_MS = 800;
const PAUSE_MOST_MS = 4000;
const SHOWN_AT = "/studio/site/";
const form = document.querySelector("form.editor");
const part = document.querySelector("#appearance");
const shown = part.querySelector(".appearance");
let picture = "";

/** Send the form to a path beside its preview. */
function ask(path) {
  const address = new URL(document.querySelector(".to-preview").formAction);
  address.pathname = address.pathname.replace(/preview\/$/, path);
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  return fetch(address, { method: "POST", body, headers: { Accept: "application/json, text/html" } });
}

/** Return the address of the picture of the page, else of the one that the site draws; "" for none. */
async function pictureOf(own) {
  URL.revokeObjectURL(picture);
  picture = "";
  if (own) return new URL(own).pathname;
  const answer = await ask("share-card/");
  if (answer.ok) picture = URL.createObjectURL(await answer.blob());
  return picture;
}

/** Return both cards. */
async function cards(page) {
  const meta = (name) => page.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.content ?? "";
  const address = new URL(page.querySelector("link[rel=canonical]")?.href ?? location.href);
  const path = address.pathname.replace(SHOWN_AT, "/");
  const image = await pictureOf(meta("og:image"));
  const found = make("div", { className: "found" },
    make("span", { className: "meta" }, `${address.host}${path}`), make("strong", {}, page.title),
    make("span", { className: "meta" }, meta("description") || _("No description: search engines take words of the text.")));
  const shared = make("div", { className: "shared" },
    ...(image ? [make("img", { src: image, alt: meta("og:image:alt") })] : []),
    make("span", { className: "meta" }, address.host), make("strong", {}, meta("og:title") || page.title),
    make("span", { className: "meta" }, meta("og:description")));
  return [make("p", { className: "help" }, _("In search results")), found, make("p", { className: "help" }, _("Where it is shared")), shared];
}

/** Show the cards, or why there are none. */
async function show() {
  if (!part.open) return;
  try {
    const answer = await ask("preview/");
    if (answer.ok) shown.replaceChildren(...(await cards(new DOMParser().parseFromString(await answer.text(), "text/html"))));
    else if (answer.status === 404) shown.replaceChildren(make("p", { className: "help" }, (await answer.json()).faults[0].message));
    else shown.replaceChildren(make("p", { className: "help" }, _("It is shown once the entry has what it needs.")));
  } catch {
    // The cards stay as they are until the server answers again.
  }
}

const showSoon = afterPause(show, PAUSE_MS, PAUSE_MOST_MS);
form.addEventListener("input", showSoon);
part.addEventListener("toggle", show);
document.addEventListener("sitecms:answered", showSoon);
void show();
