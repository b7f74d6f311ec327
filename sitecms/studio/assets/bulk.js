// Selects all entries of a list at once. Without this script each is selected by itself.

const form = document.querySelector("#bulk");
const boxes = [...document.querySelectorAll("input.pick")];

if (form && boxes.length > 1) {
  const all = Object.assign(document.createElement("input"), { type: "checkbox" });
  const label = Object.assign(document.createElement("label"), { className: "check" });
  all.addEventListener("change", () => boxes.forEach((box) => (box.checked = all.checked)));
  for (const box of boxes) box.addEventListener("change", () => (all.checked = boxes.every((each) => each.checked)));
  label.append(all, "Select all");
  form.querySelector(".buttons").prepend(label);
}
