// Elements of the interface, made without markup: the policy of the studio allows no inline style or script.

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  bold: "M7 5h6a3.5 3.5 0 0 1 0 7H7zm0 7h7a3.5 3.5 0 0 1 0 7H7z",
  italic: "M10 5h8M6 19h8M14 5l-4 14",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  bullets: "M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  numbers: "M10 6h10M10 12h10M10 18h10M4 4.500l1.500-.5v5M4 15h3l-3 4h3",
  quote: "M5 17c3-1 4-4 4-6V7H4v5h5M14 17c3-1 4-4 4-6V7h-5v5h5",
  indent: "M11 6h9M11 12h9M11 18h9M4 8.500l3.500 3.500L4 15.500z",
  outdent: "M11 6h9M11 12h9M11 18h9M7.500 8.500L4 12l3.500 3.500z",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01",
  table: "M4 5h16v14H4zM4 10h16M4 14.500h16M10 5v14",
  heading: "M6 5v14M18 5v14M6 12h12",
  undo: "M9 7L4 12l5 5M4 12h10a5 5 0 0 1 0 10",
  redo: "M15 7l5 5-5 5M20 12H10a5 5 0 0 0 0 10",
  source: "M14 4l-4 16M7 8l-4 4 4 4M17 8l4 4-4 4",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  remove: "M5 7h14M10 11v6M14 11v6M7 7l1 13h8l1-13M9 7V4h6v3",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  copy: "M8 8h12v12H8zM16 8V4H4v12h4",
  plus: "M12 5v14M5 12h14",
  handle: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  after: "M4 5h16M4 9h16M12 13v7M8.500 16.500h7",
};

/** Return a new element with properties and children (elements or texts). */
export function make(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria") || key === "role" || key === "for") {
      made.setAttribute(key.replace(/^aria(?=[A-Z])/, "aria-").toLowerCase(), value);
    } else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** Return a drawing of 24 by 24 that readers of the screen skip. */
function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["aria-hidden", "true"], ["class", "icon"]]) svg.setAttribute(key, value);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Return a button with a drawing; its name is also its tooltip. */
export function iconButton(drawing, label, act) {
  const button = make("button", { type: "button", title: label, ariaLabel: label, className: "tool" }, icon(drawing));
  button.addEventListener("click", act);
  return button;
}

/** Give a toolbar its keys: one stop of Tab, arrows, Home and End within it, Esc back to `leave`. */
export function steerToolbar(bar, leave) {
  const items = () => [...bar.querySelectorAll("button, select")].filter((item) => !item.disabled && item.offsetParent);
  const stop = (chosen) => {
    for (const item of bar.querySelectorAll("button, select")) item.tabIndex = item === chosen ? 0 : -1;
  };
  stop(bar.querySelector("button, select"));
  bar.addEventListener("focusin", (event) => stop(event.target));
  bar.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement);
    const step = getComputedStyle(bar).direction === "rtl" ? -1 : 1;
    const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") leave();
    if (to === undefined || at < 0) return;
    event.preventDefault();
    all[(to + all.length) % all.length].focus();
  });
  return () => stop(items().find((item) => item.tabIndex === 0) ?? items()[0]);
}

let count = 0;

/** Return an id that no other element of the page has. */
export function newId(name) {
  count += 1;
  return `${name}-${count}`;
}

/** Return a labelled field: a paragraph of help may follow the label. */
export function labelled(label, field, help = "") {
  field.id ||= newId("writing");
  const parts = [make("label", { htmlFor: field.id }, label)];
  if (help) {
    parts.push(make("p", { className: "help", id: `${field.id}-help` }, help));
    field.setAttribute("aria-describedby", `${field.id}-help`);
  }
  return make("div", { className: "field" }, ...parts, field);
}

/** Return the pictures that a drop or a paste brings, not those that come along with formatted text. */
export function picturesIn(transfer) {
  const files = [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
  return transfer?.getData("text/html") && files.length < 2 && transfer.getData("text/plain") ? [] : files;
}
