// The preview beside the form of an entry: sends the form after each pause, and shows the page that the server answers.
// One request is on its way at a time; what was changed meanwhile follows it. `entry-page.js` loads this when the preview
// is first opened.

import { _ } from "./texts.js";

const PAUSE_MS = 300;
const READY_MS = 4000;
const WIDTHS = { phone: 360, tablet: 768 };
const DESKTOP = 1100;
const CHOICE = "sitecms:preview";
const GONE = _("Your session has ended. Sign in again in another window; what you typed stays here.");
const BEGIN = _("The page is shown once you have begun to write.");
const SILENT = _("The server does not answer. The preview goes on with your next change.");
const pane = document.querySelector("section.preview");
const toggle = document.querySelector(".to-preview");
const form = document.querySelector("form.editor");
const main = document.querySelector("main");
const isWide = matchMedia("(min-width: 60rem)");

/** Return what the person chose before: whether the preview is open, and its width. */
function choice() {
  try {
    return JSON.parse(localStorage.getItem(CHOICE)) ?? {};
  } catch {
    return {};
  }
}

/** Keep what the person chose. */
function choose(values) {
  try {
    localStorage.setItem(CHOICE, JSON.stringify({ ...choice(), ...values }));
  } catch {
    // Nothing is kept where storage is refused.
  }
}

/** Return a text that nobody can guess. */
function newNonce() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the fields of the form, without files. */
function fields() {
  return [...new FormData(form)].filter(([, value]) => typeof value === "string");
}

class Preview {
  constructor() {
    this.stage = pane.querySelector(".stage");
    this.faults = pane.querySelector(".faults");
    this.state = pane.querySelector(".state");
    this.follow = pane.querySelector("[data-follow]");
    this.frame = null;
    this.shown = 0;
    this.isFollowing = true;
    this.isAsking = this.isStale = false;
    this.isBegun = this.isStored || form.dataset.keep === "again";
    toggle.addEventListener("click", (event) => {
      event.preventDefault();
      this.turn();
    });
    pane.querySelector("[data-close]").addEventListener("click", () => {
      this.close();
      choose({ open: false });
      toggle.focus();
    });
    this.follow.addEventListener("click", () => this.setFollowing(!this.isFollowing));
    for (const button of pane.querySelectorAll("[data-width]")) {
      button.addEventListener("click", () => this.setWidth(button.dataset.width));
    }
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.changed());
    addEventListener("message", (event) => this.heard(event));
    new ResizeObserver(() => this.fit()).observe(this.stage);
    this.setWidth(choice().width ?? "full");
  }

  turn() {
    if (this.isOpen) this.close();
    else this.open();
    choose({ open: this.isOpen });
  }

  get isStored() {
    return Boolean(form.elements.revision.value);
  }

  get isOpen() {
    return !pane.hidden;
  }

  open() {
    pane.hidden = false;
    main.classList.add("previewing");
    toggle.setAttribute("aria-pressed", "true");
    if (!isWide.matches) {
      scrollTo(0, 0);
      pane.querySelector("h2").focus();
    }
    this.update();
  }

  close() {
    pane.hidden = true;
    main.classList.remove("previewing");
    toggle.setAttribute("aria-pressed", "false");
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.follow.textContent = isFollowing ? _("Pause") : _("Follow again");
    if (isFollowing) this.update();
    else this.state.textContent = _("Paused");
  }

  setWidth(width) {
    this.width = width in WIDTHS ? width : "full";
    for (const button of pane.querySelectorAll("[data-width]")) {
      button.setAttribute("aria-pressed", String(button.dataset.width === this.width));
    }
    choose({ width: this.width });
    this.fit();
  }

  /** Give the page its width, made smaller as a whole where the pane is narrower. */
  fit() {
    const { clientWidth: room, clientHeight: height } = this.stage;
    if (!room) return;
    const width = isWide.matches ? (WIDTHS[this.width] ?? Math.max(DESKTOP, room)) : room;
    const scale = Math.min(1, room / width);
    for (const frame of this.stage.querySelectorAll("iframe")) {
      frame.style.width = `${width}px`;
      frame.style.height = `${height / scale}px`;
      frame.style.transform = `scale(${scale})`;
      frame.style.left = `${Math.max(0, (room - width * scale) / 2)}px`;
    }
  }

  changed() {
    this.isBegun = true;
    if (!this.isOpen || !this.isFollowing) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), PAUSE_MS);
  }

  /** Show the form as it is now; once more at the end if it is changed meanwhile. */
  async update() {
    if (this.isAsking) {
      this.isStale = true;
      return;
    }
    this.isAsking = true;
    do {
      this.isStale = false;
      this.state.textContent = _("Updating…");
      await this.ask();
    } while (this.isStale && this.isOpen && this.isFollowing);
    this.isAsking = false;
  }

  async ask() {
    if (!this.isBegun) return this.note(BEGIN);
    const sent = new URLSearchParams(fields());
    if (this.frame) sent.set("nonce", this.frame.nonce);
    try {
      const headers = { Accept: "application/json, text/html" };
      const answer = await fetch(toggle.formAction, { method: "POST", body: sent, headers });
      if (answer.ok) await this.show(await answer.text());
      else if (answer.headers.get("Content-Type").startsWith("application/json")) this.refused(answer.status, (await answer.json()).faults);
      else this.tell([{ name: "", message: answer.status === 401 || answer.status === 403 ? GONE : SILENT }]);
    } catch {
      this.tell([{ name: "", message: SILENT }]);
    }
  }

  async show(html) {
    this.tell([]);
    const isShown = this.frame ? await this.sendTo(this.frame, html) : await this.load(0);
    this.state.textContent = isShown ? "" : _("The page has not loaded");
    if (isShown) pane.dataset.shown = String((this.shown += 1));
  }

  /** Send a newer version to the page; load it as a whole if it says that it has to. */
  async sendTo(frame, html) {
    const answered = this.answerOf(frame.nonce, ["changed", "reload"]);
    frame.element.contentWindow.postMessage({ nonce: frame.nonce, html }, "*");
    const answer = await answered;
    return answer?.kind === "changed" || this.load(answer?.scroll ?? 0);
  }

  /** Load the page by sending the form into a new frame, which takes the place of the old one once it is there. */
  async load(scroll) {
    const nonce = newNonce();
    const element = document.createElement("iframe");
    element.title = _("Preview of the page");
    element.name = `preview-${nonce}`;
    element.setAttribute("sandbox", "allow-scripts");
    element.className = "coming";
    this.stage.append(element);
    this.fit();
    const sender = Object.assign(document.createElement("form"), { method: "post", hidden: true });
    sender.setAttribute("action", toggle.formAction);
    sender.target = element.name;
    for (const [name, value] of [...fields(), ["nonce", nonce]]) {
      sender.append(Object.assign(document.createElement("textarea"), { name, value }));
    }
    const ready = this.answerOf(nonce, ["ready"]);
    document.body.append(sender);
    sender.submit();
    sender.remove();
    const isReady = Boolean(await ready);
    if (!isReady) {
      element.remove();
      return false;
    }
    this.frame?.element.remove();
    this.frame = { element, nonce };
    element.className = "";
    if (scroll) element.contentWindow.postMessage({ nonce, scroll }, "*");
    return true;
  }

  /** Return the next message of these kinds from a frame; null if none comes in time. */
  answerOf(nonce, kinds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), READY_MS);
      this.waiting = (message) => {
        if (message.nonce !== nonce || !kinds.includes(message.kind)) return;
        clearTimeout(timer);
        resolve(message);
      };
    });
  }

  heard(event) {
    const frames = [...this.stage.querySelectorAll("iframe")];
    if (!frames.some((frame) => frame.contentWindow === event.source) || typeof event.data?.nonce !== "string") return;
    this.waiting?.(event.data);
    const isShown = event.source === this.frame?.element.contentWindow && event.data.nonce === this.frame.nonce;
    if (isShown && event.data.kind === "clicked") this.find(String(event.data.text));
  }

  /** Say what is wrong with the form; calmly if it cannot be mended, or is only not written yet. */
  refused(status, faults) {
    const isOpen = ({ name }) => name && document.getElementById(name)?.value?.trim() === "";
    if (status === 404) this.note(faults.map(({ message }) => message).join(" "));
    else if (!this.isStored && faults.every(isOpen)) {
      const labels = faults.map(({ name }) => document.querySelector(`label[for="${CSS.escape(name)}"]`)?.textContent.trim() || name);
      this.note(_("The page is shown once you have filled in: %(fields)s.", { fields: labels.join(", ") }));
    } else this.tell(faults);
  }

  /** Say something that is no fault. */
  note(text) {
    this.tell([]);
    this.state.textContent = text;
  }

  tell(faults) {
    this.state.textContent = "";
    const items = faults.map(({ name, message }) => {
      const item = document.createElement("li");
      const target = name && document.getElementById(name);
      const label = name.replace(/^fields\./, "").replaceAll("_", " ");
      if (target) item.append(Object.assign(document.createElement("a"), { href: `#${name}`, textContent: label }), ": ");
      else if (name) item.append(`${label}: `);
      item.append(message);
      return item;
    });
    const first = this.frame ? _("The page as it was before is still shown:") : _("The page is shown once this is corrected:");
    this.faults.querySelector("p").textContent = first;
    this.faults.hidden = !items.length;
    this.faults.querySelector("ul").replaceChildren(...items);
  }

  /** Go to the field with a text of the page: to the whole text, else to the longest run of its words. */
  find(text) {
    const words = text.split(/\s+/).slice(0, 12);
    const controls = [...form.querySelectorAll("input[type=text], textarea")].filter((each) => each.offsetParent);
    const rich = [...form.querySelectorAll("rich-text")];
    const whole = controls.find((each) => each.value.trim() === text);
    if (whole) return this.goTo(whole, 0, whole.value.length);
    for (let length = words.length; length > 0; length -= 1) {
      for (let start = 0; start + length <= words.length; start += 1) {
        const run = words.slice(start, start + length).join(" ");
        const found = run.length > 3 && controls.find((each) => each.value.includes(run));
        if (found) return this.goTo(found, found.value.indexOf(run), run.length);
        if (run.length > 3 && rich.some((each) => each.select?.(run))) return isWide.matches || this.close();
      }
    }
  }

  goTo(control, start, length) {
    if (!isWide.matches) this.close();
    control.dispatchEvent(new Event("sitecms:reveal"));
    control.focus();
    control.setSelectionRange(start, start + length);
    control.blur();
    // Scrolls to the selection.
    control.focus();
  }
}

/** Open the preview for the first time. */
export function openPreview() {
  new Preview().turn();
}
