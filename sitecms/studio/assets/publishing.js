// The dialog before publishing: what to look at in the entry as the form has it now, and the pages that change.
// `entry-page.js` loads this when the dialog is first opened.

import { _ } from "./texts.js";

const dialog = document.querySelector("#publishing");
const button = document.querySelector(".to-check");
const form = document.querySelector("form.editor");
const FAILED = _("The check cannot be made now. You may publish all the same.");
const GONE = _("Your session has ended. Sign in again in another window; what you typed stays here.");

/** Return a paragraph. */
function paragraph(text, className = "meta") {
  return Object.assign(document.createElement("p"), { textContent: text, className });
}

/** Return the faults of the form as a list. */
function listOf(faults) {
  const list = document.createElement("ul");
  for (const { name, message } of faults) {
    const label = name ? `${name.replace(/^fields\./, "").replaceAll("_", " ")}: ` : "";
    list.append(Object.assign(document.createElement("li"), { textContent: label + message }));
  }
  const box = Object.assign(document.createElement("div"), { className: "problems" });
  box.append(paragraph(_("This has to be corrected first:"), ""), list);
  return [box];
}

/** Ask the server what it says of the form; return the elements to show. */
async function checked() {
  const sent = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  const headers = { Accept: "application/json, text/html" };
  try {
    const answer = await fetch(button.formAction, { method: "POST", body: sent, headers });
    if (answer.headers.get("Content-Type").startsWith("application/json")) return listOf((await answer.json()).faults);
    if (answer.status === 401 || answer.status === 403) return [paragraph(GONE)];
    if (!answer.ok) return [paragraph(FAILED)];
    return [...new DOMParser().parseFromString(await answer.text(), "text/html").body.children];
  } catch {
    return [paragraph(FAILED)];
  }
}

/** Open the dialog at once, and fill it when the answer is there. */
export async function openPublishing() {
  const result = dialog.querySelector(".result");
  result.replaceChildren(paragraph(_("Checking…")));
  dialog.showModal();
  (dialog.querySelector(".main") ?? dialog.querySelector("h2")).focus();
  result.replaceChildren(...(await checked()));
  dialog.dataset.checked = "yes";
}
