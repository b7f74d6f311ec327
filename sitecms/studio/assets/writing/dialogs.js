// Dialogs of the editors. Each returns a promise of what was chosen, null if it was cancelled.

import { labelled, make, newId } from "./elements.js";
import { _ } from "../texts.js";

/**
 * Show a dialog with fields and buttons. `buttons` are pairs of value and label, the first of which Enter presses;
 * `read` returns the answer for the value of the pressed button, or a promise of it; undefined while something is wrong.
 */
export function ask(title, fields, buttons, read, className = "") {
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
    dialog.showModal();
  });
}

/** Return an address as links have it, or null if it is none that a text may have. */
function linkAddress(typed) {
  const address = typed.trim();
  if (!address || /[\s<>"]/.test(address)) return null;
  if (/^[^\s@/:?#]+@[^\s@/:?#]+\.[a-z]{2,}$/i.test(address)) return `mailto:${address}`;
  if (/^(https?:\/\/|(mailto|tel|sms|whatsapp|ftp|geo|ircs?|news|webcal|xmpp):|[/#?.])/i.test(address)) return address;
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)) return null;
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}([/?#:].*)?$/i.test(address) ? `https://${address}` : address;
}

/** Ask for the address of a link, and for its text where none is selected: `{ address, text }`, `""` to remove it. */
export function askLink({ address = "", text = null } = {}) {
  const field = make("input", { value: address, inputMode: "url", autocomplete: "off", spellcheck: false });
  const words = make("input", { value: text ?? "", autocomplete: "off" });
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const fields = [labelled(_("Address"), field, _("A page of this site (/about/) or another one (https://example.org).")), problem];
  if (text !== null) fields.push(labelled(_("Text of the link"), words));
  const buttons = address ? [["save", _("Change the link")], ["remove", _("Remove the link")]] : [["save", _("Add the link")]];
  return ask(_("Link"), fields, buttons, (button) => {
    if (button === "remove") return { address: "", text: "" };
    const found = linkAddress(field.value);
    if (found) return { address: found, text: words.value.trim() || found };
    problem.textContent = _("Type an address such as /about/, https://example.org or mira@example.org.");
    problem.hidden = false;
    field.setAttribute("aria-invalid", "true");
    field.focus();
    return undefined;
  });
}

/** Ask for the source of a block. */
export function askSource(html) {
  const area = make("textarea", { value: html, rows: 14, className: "source", spellcheck: false });
  const help = _("Kept as you type it, as far as it is allowed: scripts and styles are removed when you save.");
  return ask(_("HTML of the block"), [labelled("HTML", area, help)], [["save", _("Use it")]], () => area.value, "wide");
}
