// The page on which an entry is written: a title that grows, words counted, the panel that folds, a view of the text
// alone; preview and the dialog before publishing are loaded when they are first asked for. Without this script the
// panel is open, below the text on narrow windows, and the buttons open pages.

import { ngettext } from "./texts.js";
import { count } from "./writing/words.js";
import { afterPause, whenIdle } from "./writing/pauses.js";

const COUNT_MS = 400;
const COUNT_MOST_MS = 5000;
const COOKIE = "sitecms-panel";
const YEAR_SECONDS = 31_536_000;
const PREVIEW = "sitecms:preview";
const isWide = matchMedia("(min-width: 60rem)");
const form = document.querySelector("form.editor");
const panel = form.querySelector("#panel");
const toggle = document.querySelector("[data-panel]");

/** The panel: beside the text, or over it where there is no room. */
class Panel {
  constructor() {
    const close = panel.querySelector("[data-panel-close]");
    close.hidden = toggle.hidden = false;
    toggle.addEventListener("click", () => this.turn());
    close.addEventListener("click", () => this.closeSheet());
    panel.addEventListener("toggle", ({ newState }) => newState === "closed" && this.closed());
    isWide.addEventListener("change", () => (this.closeSheet(), this.show()));
    new MutationObserver(() => this.show()).observe(document.querySelector("main"), { attributeFilter: ["class"] });
    document.addEventListener("click", ({ target }) => {
      const link = target.closest?.("a[href^='#']");
      const control = link && document.getElementById(link.hash.slice(1));
      if (control && panel.contains(control)) this.reveal(control);
    });
    document.addEventListener("sitecms:answered", () => this.showProblems());
    this.show();
    this.showProblems();
  }

  /** Open the panel beside the text if a control in it was refused; the list of problems leads to a sheet. */
  showProblems() {
    if (panel.querySelector("[aria-invalid=true]") && !this.isSheet && !this.isOpen) this.turn();
  }

  /** Whether the panel lies over the text: on narrow windows, and beside the preview. */
  get isSheet() {
    return !isWide.matches || document.querySelector("main").classList.contains("previewing");
  }

  get isOpen() {
    return this.isSheet ? panel.matches("[popover]:popover-open") : !form.classList.contains("folded");
  }

  turn() {
    if (this.isSheet) {
      if (this.isOpen) this.closeSheet();
      else this.openSheet();
      return;
    }
    const isFolded = form.classList.toggle("folded");
    document.cookie = `${COOKIE}=${isFolded ? "folded" : "open"}; path=/studio/; max-age=${YEAR_SECONDS}; samesite=lax`;
    this.show();
  }

  openSheet() {
    panel.popover = "auto";
    panel.showPopover();
    panel.querySelector("#panel-title").focus();
    this.show();
  }

  closeSheet() {
    if (panel.popover) panel.hidePopover();
  }

  closed() {
    const hadFocus = panel.contains(document.activeElement) || document.activeElement === document.body;
    panel.popover = null;
    this.show();
    if (hadFocus) toggle.focus();
  }

  show() {
    toggle.setAttribute("aria-expanded", String(this.isOpen));
  }

  /** Open the panel, and go to a control in it. */
  reveal(control) {
    if (!this.isOpen) this.turn();
    control.closest("details")?.setAttribute("open", "");
    control.focus();
  }
}

/** Let the title have one line, however long, that Enter leaves for the text. */
function startTitle(title) {
  const grow = () => {
    if (CSS.supports("field-sizing", "content")) return;
    title.style.height = "auto";
    title.style.height = `${title.scrollHeight}px`;
  };
  title.addEventListener("input", () => {
    if (title.value.includes("\n")) title.value = title.value.replace(/\s*\n\s*/g, " ");
    grow();
  });
  title.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    const controls = [".ProseMirror", "#body", ":is(input, select, textarea):not(#title)"];
    const next = controls.flatMap((each) => [...form.querySelectorAll(`.text ${each}`)]);
    next.find((each) => each.offsetParent)?.focus();
  });
  grow();
}

/** Show how many words the text has, and how long reading it takes. */
function startWords(area) {
  const shown = document.querySelector("#words");
  const show = () => {
    const { words, minutes } = count(area.value);
    const counted = ngettext("%(num)s word", "%(num)s words", words);
    shown.textContent = words ? `${counted} · ${ngettext("%(num)s minute", "%(num)s minutes", minutes)}` : counted;
  };
  area.addEventListener("input", afterPause(show, COUNT_MS, COUNT_MOST_MS));
  show();
}

/** Let a button show nothing but the text. */
function startFocus(button) {
  button.hidden = false;
  const turn = () => button.setAttribute("aria-pressed", String(document.body.classList.toggle("focused")));
  button.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.code !== "KeyF" || !event.altKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    turn();
  });
}

/** Load the preview when it is first opened, or at once if it was open the last time. */
function startPreview(button) {
  const load = () => import("./preview-pane.js").then(({ openPreview }) => openPreview());
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    void load();
  }, { once: true });
  try {
    if (JSON.parse(localStorage.getItem(PREVIEW))?.open && isWide.matches) button.click();
  } catch {
    // Nothing is kept where storage is refused.
  }
}

/** Load the chips of categories and tags when nothing else is to do, and the cards of the entry when they are opened. */
function startDetails() {
  if (form.querySelector("[name=tags], [data-names]")) whenIdle(() => import("./chips.js"), COUNT_MOST_MS);
  const part = panel.querySelector("#appearance");
  const load = () => part.open && import("./appearance.js");
  part?.addEventListener("toggle", load, { once: true });
  if (part?.open) whenIdle(load, COUNT_MOST_MS);
}

/** Return whether a key was pressed with Ctrl, or with the command key of a Mac. */
function withControl(event) {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey;
}

/** Let keys and buttons open the dialogs of the page; a script loads the one before publishing. */
function startDialogs() {
  const shortcuts = document.querySelector("#shortcuts");
  const check = document.querySelector(".to-check");
  const open = () => import("./publishing.js").then(({ openPublishing }) => openPublishing());
  check.addEventListener("click", (event) => {
    event.preventDefault();
    void open();
  });
  for (const dialog of [document.querySelector("#publishing"), shortcuts]) {
    dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", ({ target }) => target.closest("a[href^='#']") && dialog.close());
  }
  const keys = document.querySelector("[data-shortcuts]");
  keys.hidden = false;
  keys.addEventListener("click", () => shortcuts.showModal());
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && withControl(event) && !event.altKey) void open();
    else if (event.code === "KeyP" && withControl(event) && event.altKey) document.querySelector(".to-preview").click();
    else if (event.key === "?" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) shortcuts.showModal();
    else return;
    event.preventDefault();
  });
}

/** Load what notes on words of the text need when it is first asked for. */
function startNotes(place) {
  const begin = () => import("./notes.js").then(({ beginNote }) => beginNote(place));
  const buttonOf = ({ target }) => target.closest("[data-notes]");
  // The press of a mouse would end the selection.
  panel.addEventListener("mousedown", (event) => buttonOf(event) && event.preventDefault());
  panel.addEventListener("click", (event) => {
    const button = buttonOf(event);
    if (button?.matches("button")) void import("./notes.js").then(({ showWords }) => showWords(button.textContent, place));
    else if (button && !button.parentElement.open) void begin();
  });
  addEventListener("keydown", (event) => {
    if (event.code !== "KeyM" || !event.altKey || !(event.ctrlKey || event.metaKey) || !form.elements.note) return;
    event.preventDefault();
    void begin();
  });
}

startNotes(new Panel());
if (form.elements.title) startTitle(form.elements.title);
if (form.elements.body) startWords(form.elements.body);
startFocus(document.querySelector("[data-focus]"));
startPreview(document.querySelector(".to-preview"));
startDialogs();
startDetails();
