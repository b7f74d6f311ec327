// Dialogs of the editors. Each returns a promise of what was chosen, null if it was cancelled.

import { labelled, make, newId, picturesIn } from "./elements.js";
import { _ } from "../texts.js";

/**
 * Show a dialog with fields and buttons. `buttons` are pairs of value and label, the first of which Enter presses;
 * `read` returns the answer for the value of the pressed button, or a promise of it; undefined while something is wrong.
 * `take` gets the pictures that are dropped anywhere on the dialog, where it takes some.
 */
export function ask(title, fields, buttons, read, className = "", take = null) {
  const id = newId("dialog");
  const made = buttons.map(([value, label], index) => make("button", { value, className: index ? "" : "main" }, label));
  const cancel = make("button", { type: "button" }, _("Cancel"));
  const form = make("form", { method: "dialog", className: "stack" }, make("h2", { id }, title), ...fields,
    make("p", { className: "buttons" }, ...made, cancel));
  const dialog = make("dialog", { className: `writing-dialog ${className}`, ariaLabelledby: id }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    let answer = null;
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const found = await read(event.submitter?.value ?? buttons[0]?.[0]);
      if (found === undefined) return;
      answer = found;
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    if (take) takeDropped(dialog, take);
    dialog.showModal();
  });
}

/** Give what is dropped on a dialog to a function; the browser would leave the page for it. */
function takeDropped(dialog, take) {
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    dialog.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      dialog.classList.toggle("over", name === "dragenter" || name === "dragover");
      if (name === "drop") take(picturesIn(event.dataTransfer));
    });
  }
}

/** Ask for the source of a block. */
export function askSource(html) {
  const area = make("textarea", { value: html, rows: 14, className: "source", spellcheck: false });
  const help = _("Kept as you type it, as far as it is allowed: scripts and styles are removed when you save.");
  return ask(_("HTML of the block"), [labelled("HTML", area, help)], [["save", _("Use it")]], () => area.value, "wide");
}
