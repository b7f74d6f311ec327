// Keeps what was typed into the form of an entry on this device until it is saved. Without this script the studio
// works the same, and keeps nothing. Only the person's click brings kept text back: the server then shows the form
// with it, so that rows of repeaters and pictures come back as well.

import { _, ngettext } from "./texts.js";
import { Saving } from "./saving.js";
import { whenIdle } from "./writing/pauses.js";

const QUIET_MS = 400;
const SAVING_MS = 8000;
const SENT = "sitecms:sent";
const NOT_KEPT = new Set(["form_token", "complete"]);
const NOT_COMPARED = new Set(["revision", "schema", "form_session", "format", "conflict", "beside", "asks"]);
const SAVED = new Set([
  "saved", "draft-saved", "published", "scheduled", "unscheduled", "unpublished", "discarded", "unchanged", "created",
  "name-created", "copied",
]);
const SAVED_WORDS = {
  saved: (time) => _("Saved at %(time)s", { time }), created: (time) => _("Saved at %(time)s", { time }),
  "draft-saved": (time) => _("Draft saved at %(time)s", { time }), published: (time) => _("Published at %(time)s", { time }),
  scheduled: (time) => _("Scheduled at %(time)s", { time }), unscheduled: (time) => _("Saved as a draft at %(time)s", { time }),
  unpublished: (time) => _("Unpublished at %(time)s", { time }), unchanged: () => _("Nothing was changed"),
};
const { site, user } = document.body.dataset;
const form = document.querySelector("form[data-keep]");
const isLeaving = { now: false };

/** Return the keys and parts (site, user, address, session) of what is kept for this user. */
function keptKeys() {
  const found = [];
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith('["sitecms:kept",')) continue;
      const [, ...parts] = JSON.parse(key);
      if (parts[0] === site && parts[1] === user) found.push({ key, address: parts[2] });
    }
  } catch {
    // The browser keeps nothing, or something else wrote a key like ours.
  }
  return found;
}

/** Return what is kept under a key, or null. */
function kept(key) {
  try {
    const record = JSON.parse(localStorage.getItem(key));
    return Array.isArray(record?.fields) ? record : null;
  } catch {
    return null;
  }
}

/** Return the value that a field has in what is kept, or undefined. */
const keptValue = ({ fields }, wanted) => fields.find(([name]) => name === wanted)?.[1];

/** Delete what is kept under a key. */
function drop(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing is kept where storage is refused.
  }
}

/** Return what the form before this page sent, or null: the key it was kept under, and the fields it began with. */
function lastSent() {
  try {
    return JSON.parse(sessionStorage.getItem(SENT));
  } catch {
    return null;
  }
}

/** Note what is being sent; null to forget it. */
function noteSent(sent) {
  try {
    if (sent) sessionStorage.setItem(SENT, JSON.stringify(sent));
    else sessionStorage.removeItem(SENT);
  } catch {
    // Then the text stays kept, and is dropped when the form is opened with the same text.
  }
}

/** Return fields as a text that can be compared. */
function comparable(fields) {
  return JSON.stringify(fields.filter(([name]) => !NOT_COMPARED.has(name) && !name.startsWith("parts.")));
}

/** Return a new element with a text. */
function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}

/** Return a moment as people say it, with the day if it is not today. */
function moment(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const day = isToday ? {} : { day: "numeric", month: "short", year: "numeric" };
  return new Date(at).toLocaleString(document.documentElement.lang.replace(/^en$/, "en-GB"), { ...day, hour: "2-digit", minute: "2-digit" });
}

/** Return whether a form is saved without leaving its page, as those of entries are; that of an author is not. */
function isSavedInPlace(form) {
  return Boolean(form.elements.form_session);
}

/** The line that says whether the form is saved: one for what this device and the server keep. */
class SaveState {
  constructor(form) {
    this.form = form;
    this.savedWord = "";
    this.word = element("strong", "");
    this.detail = element("span", "");
    this.word.setAttribute("aria-live", "polite");
    this.line = element("p", "", { className: "save-state" });
    this.line.append(this.word, this.detail);
    const place = document.querySelector("[data-save-state]");
    place.append(this.line, ...(isSavedInPlace(form) ? document.querySelectorAll("main > [data-said]") : []));
    this.known = { isDirty: false, device: "", server: {}, said: "" };
    this.show({});
  }

  /** Take what changed: `isDirty`, `device`, `server` (`at` or `problem`), or a word for now (`said`). */
  show(changed) {
    this.known = { ...this.known, said: "", ...changed };
    const { isDirty, device, server, said } = this.known;
    const [state, word, detail] = said ? ["", said, ""]
      : server.problem ? ["problem", server.problem, server.hint]
        : isDirty ? ["changed", _("Unsaved changes"), server.at ? _("Kept %(time)s", { time: server.at }) : device]
          : ["", this.savedWord || (this.form.elements.revision.value ? _("Saved") : ""), ""];
    if (this.line.dataset.state !== state) this.line.dataset.state = state;
    if (this.word.textContent !== word) this.word.textContent = word;
    if (this.detail.textContent !== detail) this.detail.textContent = detail;
    const { link } = said ? {} : server;
    if (link) this.detail.append(" ", element("a", link.text, { href: link.href, target: "_blank", rel: "noopener" }));
  }

  /** Say that the form was saved now, by what the server says of it. */
  saved(said, isDirty) {
    const link = document.querySelector("[data-said] a");
    this.savedWord = SAVED_WORDS[said]?.(moment(Date.now())) ?? _("Saved");
    this.show({ isDirty, server: link ? { link: { href: link.href, text: link.firstChild.data } } : {} });
  }
}

/** Keep the changes of one form, and offer what was kept of it before. */
class Keeper {
  constructor(form) {
    this.form = form;
    const sent = lastSent();
    const continues = form.dataset.keep === "again" && sent?.address === this.address;
    noteSent(null);
    this.key = continues ? sent.key : this.newKey();
    this.start = continues ? sent.start : form.dataset.keep === "again" ? "" : comparable(this.fields());
    this.state = new SaveState(form);
    this.offer();
    if (form.dataset.keep === "again") this.keep();
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.changed());
    form.addEventListener("submit", () => this.sent());
    document.addEventListener("sitecms:server", (event) => this.state.show({ server: event.detail }));
    addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => this.flush());
    addEventListener("beforeunload", (event) => this.warn(event));
    addEventListener("keydown", (event) => this.pressed(event));
  }

  get address() {
    return this.form.getAttribute("action");
  }

  newKey() {
    return JSON.stringify(["sitecms:kept", site, user, this.address, `${Date.now()}-${Math.random()}`]);
  }

  fields() {
    const all = [...new FormData(this.form)];
    return all.filter(([name, value]) => typeof value === "string" && !NOT_KEPT.has(name));
  }

  get isDirty() {
    return comparable(this.fields()) !== this.start;
  }

  /** Keep the fields soon, when no key waits for it. */
  changed() {
    if (this.timer) return;
    this.state.show({ isDirty: true });
    this.timer = setTimeout(() => whenIdle(() => this.flush()), QUIET_MS);
  }

  flush() {
    if (this.timer) this.keep();
  }

  /** Keep the fields as they are now, and whether they were sent; nothing if they are as they were at the start. */
  keep(isSent = false) {
    clearTimeout(this.timer);
    this.timer = null;
    const fields = this.fields();
    const isDirty = comparable(fields) !== this.start;
    if (isDirty !== "unsaved" in this.form.dataset) this.form.toggleAttribute("data-unsaved", isDirty);
    if (!isDirty) {
      drop(this.key);
      this.state.show({ isDirty, device: "", server: {} });
      return;
    }
    try {
      localStorage.setItem(this.key, JSON.stringify({ at: Date.now(), fields, isSent }));
      this.state.show({ isDirty, device: _("Kept on this device") });
    } catch {
      this.state.show({ isDirty, device: _("This browser cannot keep them: save soon") });
    }
  }

  /** Note what the form sends. What is typed after that is kept by itself, since the answer does not cover it. */
  sent() {
    // The window may be closed before the answer comes.
    this.keep(true);
    this.last = { address: this.address, key: this.key, start: this.start };
    noteSent(this.last);
    this.key = this.newKey();
    this.start = comparable(this.fields());
    isLeaving.now = true;
    this.state.show({ said: _("Saving…") });
    // An answer may be a page in another window.
    this.saving = setTimeout(() => this.state.show({ said: "" }), SAVING_MS);
    document.dispatchEvent(new CustomEvent("sitecms:sent"));
  }

  /** Go on as before the form was sent: it was not saved, and the page stays. */
  unsent() {
    drop(this.key);
    ({ key: this.key, start: this.start } = this.last);
    this.stay();
    document.dispatchEvent(new CustomEvent("sitecms:unsent"));
  }

  /** Note that what was sent is saved; `show` puts the answer into the page. What was typed since is unsaved. */
  settled(show) {
    const isSame = !this.isDirty;
    drop(this.last.key);
    const said = show();
    this.form.elements.form_session.value = "";
    if (isSame) this.start = comparable(this.fields());
    drop(this.key);
    this.key = this.newKey(); // a new entry has an address now
    this.stay();
    this.state.saved(said, this.isDirty);
    this.answered({ start: this.start });
  }

  /** Say that the page shows why the form was not saved. */
  refused() {
    this.state.show({ server: { problem: _("Not saved."), hint: _("Nothing that you wrote is lost.") } });
    this.answered({});
  }

  answered(detail) {
    this.form.dataset.answers = String(Number(this.form.dataset.answers ?? 0) + 1);
    document.dispatchEvent(new CustomEvent("sitecms:answered", { detail }));
  }

  /** Go on in this page. */
  stay() {
    clearTimeout(this.saving);
    noteSent(null);
    isLeaving.now = false;
    this.keep();
  }

  warn(event) {
    if (isLeaving.now || !this.isDirty) return;
    this.flush();
    event.preventDefault();
  }

  pressed(event) {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (this.isDirty) this.form.requestSubmit([...this.form.elements].find(({ name, value }) => name === "do" && value === "save"));
    else this.state.show({ said: _("Nothing to save") });
  }

  /** Offer what was kept of this form before, the newest first; drop it if the form has the same text. */
  offer() {
    const now = comparable(this.fields());
    const records = keptKeys()
      .filter(({ key, address }) => address === this.address && key !== this.key)
      .map(({ key }) => ({ key, record: kept(key) }))
      .filter(({ record }) => record)
      .sort((one, other) => other.record.at - one.record.at);
    const saved = new Set((this.form.dataset.savedSessions ?? "").split(" "));
    for (const { key, record } of records) {
      const session = keptValue(record, "form_session");
      if (comparable(record.fields) === now || (record.isSent && saved.has(session))) drop(key);
      else this.form.before(this.offered(key, record));
    }
  }

  offered(key, record) {
    const box = element("section", "", { className: "told kept" });
    const session = keptValue(record, "form_session");
    if (session) box.dataset.local = session;
    const text = _("There is text from %(time)s that was not saved.", { time: moment(record.at) });
    const revision = keptValue(record, "revision");
    const isOlder = revision !== this.form.querySelector("[name=revision]").value;
    const hint = isOlder ? ` ${_("What is stored was changed since: if you save the text, you see both first.")}` : "";
    const back = element("button", _("Bring it back"), { type: "button" });
    const discard = element("button", _("Discard it"), { type: "button" });
    const buttons = element("p", "", { className: "buttons small" });
    box.setAttribute("aria-label", _("Text that was not saved"));
    back.addEventListener("click", () => this.bringBack(key));
    discard.addEventListener("click", () => {
      drop(key);
      box.remove();
      if (session) document.dispatchEvent(new CustomEvent("sitecms:discarded", { detail: session }));
      document.querySelector("#main").focus();
      if (!this.isDirty) this.state.show({ said: _("Discarded") });
    });
    addEventListener("storage", (event) => {
      if (event.key === key && event.newValue === null) box.remove();
    });
    buttons.append(back, discard);
    box.append(element("p", text + hint), buttons);
    return box;
  }

  /** Send kept fields to be shown in the form; nothing is saved by it. What the form has now stays kept. */
  bringBack(key) {
    const record = kept(key);
    if (!record) return;
    this.flush();
    const sender = element("form", "", { method: "post", hidden: true });
    const token = ["form_token", this.form.querySelector("[name=form_token]").value];
    sender.setAttribute("action", this.address);
    for (const [name, value] of [token, ...record.fields, ["do", "bring-back"], ["complete", "1"]]) {
      sender.append(element("textarea", "", { name, value }));
    }
    document.body.append(sender);
    noteSent({ address: this.address, key, start: this.start });
    isLeaving.now = true;
    sender.submit();
  }
}

/** Drop what the form before this page sent, if this page says that it is saved. */
function settle() {
  const said = document.querySelector("[data-said]")?.dataset.said;
  const sent = lastSent();
  if (!sent || !SAVED.has(said)) return;
  drop(sent.key);
  noteSent(null);
}

/** Say before signing out that text stays on this device. */
function signOut(event) {
  const count = new Set(keptKeys().map(({ address }) => address)).size;
  if (!count) return;
  const text = ngettext(
    "Text of %(num)s entry was not saved. It stays on this device, and is offered when you sign in here again and open the entry. Sign out?",
    "Text of %(num)s entries was not saved. It stays on this device, and is offered when you sign in here again and open the entries. Sign out?",
    count,
  );
  if (confirm(text)) isLeaving.now = true;
  else event.preventDefault();
}

/** Open the palette with a button, or with Ctrl K outside of text that has links of its own. */
function startPalette() {
  const open = async () => (await import("./palette.js")).openPalette();
  const button = document.querySelector("[data-palette]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    const isWanted = event.code === "KeyK" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.defaultPrevented;
    if (!isWanted) return;
    event.preventDefault();
    open();
  });
}

/** Let a button copy a text of the page, where the browser allows that. */
function startCopying() {
  const button = document.querySelector("[data-copy]");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = _("Copied");
  });
}

/** Scroll the menu, which is one row on a phone, to the entry of this page; the page itself stays where it is. */
function showMenuEntry() {
  const entry = document.querySelector(".menu [aria-current]");
  const row = entry?.closest("ul");
  if (!row || row.scrollWidth <= row.clientWidth) return;
  const [inside, outside] = [entry.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += inside.left + inside.width / 2 - outside.left - outside.width / 2;
}

settle();
showMenuEntry();
startPalette();
startCopying();
if (form) {
  const keeper = new Keeper(form);
  if (isSavedInPlace(form)) new Saving(form, keeper);
  document.querySelector("form[action='/studio/sign-out/']").addEventListener("submit", () => keeper.flush());
}
document.querySelector("form[action='/studio/sign-out/']")?.addEventListener("submit", signOut);
