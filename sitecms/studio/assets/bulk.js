// Selects all entries of a list at once, and counts those that are selected. Without this script each is selected by
// itself. Shift selects all between two boxes.

import { _, ngettext } from "./texts.js";

const form = document.querySelector("#bulk");
const boxes = [...document.querySelectorAll("input.pick")];

function addSelectAll() {
  const all = Object.assign(document.createElement("input"), { type: "checkbox" });
  const label = Object.assign(document.createElement("label"), { className: "check" });
  const told = form.querySelector("[data-selected]");
  let last = null;

  function count() {
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
    told.textContent = chosen ? ngettext("%(num)s selected", "%(num)s selected", chosen) : "";
  }

  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((one, other) => one - other);
        for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
      }
      last = box;
      count();
    });
  }
  label.append(all, _("Select all"));
  form.prepend(label);
  count();
}

if (form && boxes.length > 1) addSelectAll();
