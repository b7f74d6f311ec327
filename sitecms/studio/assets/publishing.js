// The dialog before publishing: what to look at in the entry as the form has it now, and the pages that change. And the
// keys of the form. Without this script the button opens the same as a page in a window of its own.

const dialog = document.querySelector("#publishing");
const shortcuts = document.querySelector("#shortcuts");
const button = document.querySelector(".to-check");
const form = document.querySelector("form.editor");
const FAILED = "The check cannot be made now. You may publish all the same.";
const GONE = "Your session has ended. Sign in again in another window; what you typed stays here.";

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
  box.append(paragraph("This has to be corrected first:", ""), list);
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
async function open() {
  const result = dialog.querySelector(".result");
  result.replaceChildren(paragraph("Checking…"));
  dialog.showModal();
  (dialog.querySelector(".main") ?? dialog.querySelector("h2")).focus();
  result.replaceChildren(...(await checked()));
  dialog.dataset.checked = "yes";
}

/** Return whether a key was pressed with Ctrl, or with the command key of a Mac. */
function withControl(event) {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey;
}

function pressed(event) {
  const isTyping = event.target.closest?.("input, select, textarea, [contenteditable]");
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && withControl(event) && !event.altKey && button) {
    event.preventDefault();
    open();
  } else if (event.code === "KeyP" && withControl(event) && event.altKey) {
    event.preventDefault();
    document.querySelector(".to-preview")?.click();
  } else if (event.key === "?" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    shortcuts.showModal();
  }
}

button?.addEventListener("click", (event) => {
  event.preventDefault();
  open();
});
for (const each of [dialog, shortcuts]) {
  each?.querySelector("[data-close]").addEventListener("click", () => each.close());
  each?.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) each.close();
  });
}
const keys = document.querySelector("[data-shortcuts]");
if (keys && shortcuts) {
  keys.hidden = false;
  keys.addEventListener("click", () => shortcuts.showModal());
}
if (dialog && form) addEventListener("keydown", pressed);
