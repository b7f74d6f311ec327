// Offers about what was pasted, in a bar of the editor.

import { make } from "./elements.js";

const SAID_AFTER_MS = 50;

/**
 * Offer something in a bar below another one. `choices` are pairs of label and function; the bar goes with any of them, with
 * Esc, and with the next offer. `leave` gives the focus back to the text.
 */
export function offer(bar, text, choices, leave) {
  bar.parentNode.querySelector(".offer")?.remove();
  const words = make("span", { role: "status" });
  const made = make("div", { className: "offer" }, words);
  const end = (act) => {
    made.remove();
    leave();
    act?.();
  };
  for (const [label, act] of choices) {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => end(act));
    made.append(button);
  }
  made.addEventListener("keydown", ({ key }) => key === "Escape" && end());
  bar.after(made);
  // Said once it is there: what comes with its text is often not read out.
  setTimeout(() => (words.textContent = text), SAID_AFTER_MS);
}
