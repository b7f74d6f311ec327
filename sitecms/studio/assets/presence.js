// Says who else has the entry open, and whether with unsaved changes. Nobody is locked out. The time is taken by a
// worker, which browsers do not slow down while the page is hidden.

import { whenIdle } from "./writing/pauses.js";
import { _ } from "./texts.js";

const form = document.querySelector("form[data-keep]");
const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
const line = document.querySelector(".presence");

/** Return the line about the other windows, "" for none. */
function told(others) {
  return others.map(({ name, changed, own }) => {
    if (own) return changed ? _("You have this open in another window with unsaved changes.") : _("You have this open in another window.");
    return changed ? _("%(name)s has this open with unsaved changes.", { name }) : _("%(name)s has this open.", { name });
  }).join(" ");
}

/** Return the form's values for a request. */
function values(more) {
  const { form_token: token } = form.elements;
  const address = form.getAttribute("action");
  return new URLSearchParams({ form_token: token.value, address, form_session: id, ...more });
}

/** Say that the page is open, and show who else is there. */
async function ping() {
  if (!form.elements.revision.value) return; // nobody else can have a new entry open
  const changed = "unsaved" in form.dataset ? "1" : "";
  try {
    const answer = await fetch("/studio/presence/", { method: "POST", body: values({ changed }) });
    if (!answer.ok || !answer.headers.get("Content-Type").startsWith("application/json")) return;
    const text = told((await answer.json()).others);
    line.hidden = !text;
    if (line.textContent !== text) line.textContent = text;
  } catch {
    // Without a connection nothing is known; the next call tries again.
  }
}

if (form && line) {
  const pingSoon = () => (document.hidden ? ping() : whenIdle(ping));
  new Worker(form.dataset.ticker).addEventListener("message", pingSoon);
  new MutationObserver(pingSoon).observe(form, { attributeFilter: ["data-unsaved"] });
  document.addEventListener("visibilitychange", () => document.hidden || ping());
  addEventListener("pagehide", () => navigator.sendBeacon("/studio/presence/", values({ leaves: "1" })));
  setTimeout(ping, 0);
}
