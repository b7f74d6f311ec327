// Keeps the text of a form on the server for this person until it is saved: after two seconds of quiet, at most
// every ten. One request at a time; an answer never writes into fields. What is kept is offered when the form is opened
// again, on any device. `studio.js` keeps the same text on this device, sooner.

import { whenIdle } from "./writing/pauses.js";
import { _ } from "./texts.js";

const QUIET_MS = 2000;
const MOST_MS = 10000;
const RETRY_MS = 5000;
const SLOWEST_MS = 60000;
const NOT_KEPT = new Set(["form_token", "complete", "do"]);
const NOT_COMPARED = new Set(["revision", "schema", "form_session", "format", "conflict", "beside", "asks"]);
const PROBLEMS = {
  400: _("Not saved: the server did not take it."), 401: _("Not saved: you are signed out."),
  403: _("Not saved: you signed in anew since the page was opened."),
  404: _("Not saved: the entry is gone, or you may not change it."), 413: _("Not saved: it is too long."),
};
const form = document.querySelector("form[data-keep]");

/** Return a text that two fields have in common if a person sees the same in them. */
function comparable(fields) {
  return JSON.stringify(fields.filter(([name]) => !NOT_COMPARED.has(name) && !name.startsWith("parts.")));
}

/** Return the id of one opening of a form. */
function newSession() {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
}

/** Keep one form on the server. */
class Autosave {
  constructor(form) {
    this.form = form;
    this.session = form.elements.form_session;
    this.session.value ||= newSession();
    this.start = form.dataset.keep === "again" ? "" : comparable(this.fields());
    this.sent = this.start;
    this.retry = RETRY_MS;
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.changed());
    document.addEventListener("sitecms:sent", () => this.stop());
    document.addEventListener("sitecms:unsent", () => this.resume());
    document.addEventListener("sitecms:answered", ({ detail }) => "start" in detail && this.begin(detail.start));
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    addEventListener("online", () => this.changed(0));
    document.addEventListener("sitecms:discarded", (event) => this.discard(event.detail));
    this.dropDoubles();
    if (form.dataset.keep === "again") this.changed();
  }

  get address() {
    return this.form.getAttribute("action");
  }

  fields() {
    const all = [...new FormData(this.form)];
    return all.filter(([name, value]) => typeof value === "string" && !NOT_KEPT.has(name));
  }

  /** Save soon: after a time of quiet, but not later than the limit after the first change. */
  changed(quiet = QUIET_MS) {
    this.since ??= Date.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => whenIdle(() => this.save()), Math.max(0, Math.min(quiet, this.since + MOST_MS - Date.now())));
  }

  async save() {
    if (this.isStopped) return;
    if (this.isBusy) {
      this.isWanted = true;
      return;
    }
    const fields = this.fields();
    const text = comparable(fields);
    this.since = null;
    if (text === this.sent) return;
    const isUndone = text === this.start;
    this.isBusy = true;
    this.controller = new AbortController();
    const status = await this.post(isUndone ? { do: "discard" } : { do: "keep", fields: JSON.stringify(fields) });
    this.isBusy = false;
    if (this.isStopped) return;
    if (status >= 200 && status < 300) {
      this.sent = text;
      this.retry = RETRY_MS;
      this.say(isUndone ? {} : { at: new Date().toTimeString().slice(0, 5) });
      if (this.isWanted) this.changed();
    } else this.failed(status);
    this.isWanted = false;
  }

  /** Say that the text is not kept, and try again, more and more seldom. */
  failed(status) {
    const why = PROBLEMS[status] ?? (status ? _("Not saved: the server had an error.") : _("Not saved: no connection."));
    const link = status === 401 ? { href: "/studio/sign-in/", text: _("Sign in in a new tab") } : null;
    this.say({ problem: why, hint: _("The text stays on this device."), link });
    if (status === 401 || status === 403) import("./answers.js").then(({ renewToken }) => renewToken(this.form), () => {});
    this.since = Date.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), this.retry);
    this.retry = Math.min(this.retry * 2, SLOWEST_MS);
  }

  /** Send a request about this session or another one; return the status of the answer, 0 without one. */
  async post(values, session = this.session.value) {
    const body = new URLSearchParams({
      form_token: this.form.elements.form_token.value, address: this.address, form_session: session, ...values,
    });
    try {
      return (await fetch("/studio/unsaved/", { method: "POST", body, signal: this.controller?.signal })).status;
    } catch {
      return 0;
    }
  }

  discard(session) {
    document.querySelector(`.kept[data-session="${CSS.escape(session)}"]`)?.remove();
    this.post({ do: "discard" }, session);
  }

  /** Show text that this device has too once: what `studio.js` offers is at least as new. */
  dropDoubles() {
    const own = new Set([...document.querySelectorAll(".kept[data-local]")].map((box) => box.dataset.local));
    for (const box of document.querySelectorAll(".kept[data-session]")) {
      if (own.has(box.dataset.session)) box.remove();
    }
  }

  /** Have `studio.js` show when the server kept the text (`at`), or why it could not (`problem`). */
  say(detail) {
    document.dispatchEvent(new CustomEvent("sitecms:server", { detail }));
  }

  /** Stop when the form is sent: the server removes what it kept. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  /** Begin anew with what was saved, in a session of its own: the server takes no more text of the former one. */
  begin(start) {
    this.session.value = newSession();
    this.start = this.sent = start;
    this.resume();
  }

  /** Go on: the form was not saved. */
  resume() {
    this.isStopped = this.isBusy = false;
    this.changed();
  }
}

if (form?.elements.form_session) new Autosave(form);
