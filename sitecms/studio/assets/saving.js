// Sends the form of an entry without leaving the page. While the server cannot be reached, the page says so, keeps the
// form, and sends it as it is when the server is back. Without this script the form is sent as any other.
//
// What saves is sent by a script, which puts the answer into the page: the state of the entry, errors, or a conflict.
// What was rejected names its change, so that the browser, where it has to show the answer as a page, does not make a
// second one. Buttons that only change what the form shows are sent by the browser, once the server is known to be there.

import { _ } from "./texts.js";

const STAYING = new Set(["save", "publish", "schedule", "unschedule", "unpublish", "review"]);
const LEAVING = new Set(["discard", "delete", "delete-locale", "copy"]);
const REFUSED = new Set([400, 403, 412]);
const SIGNED_OUT = new Set([401, 403]);
const REJECTED = "Sitecms-Write";
const PROBE_MS = 10_000;
const ANSWER_MS = 60_000;
const RETRY_MS = 2000;
const SLOWEST_MS = 30_000;
const QUIET_MS = 1500;
// Pasted pictures have no address to be saved before they are uploaded.
const UPLOAD_MS = 100;

function isStaying({ value }) {
  return STAYING.has(value.split(":")[0]);
}

export class Saving {
  /** `keeper` notes what is being sent (`sent`), and that it was not saved (`unsent`) or was (`settled`). */
  constructor(form, keeper) {
    this.form = form;
    this.keeper = keeper;
    this.retry = RETRY_MS;
    this.typedAt = 0;
    document.addEventListener("submit", (event) => this.submitted(event), true);
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.typed());
    for (const name of ["online", "focus"]) addEventListener(name, () => this.timer && this.send());
  }

  submitted(event) {
    const { target, submitter } = event;
    if (target !== this.form || this.isPassed || submitter?.formTarget) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.retry = RETRY_MS;
    this.waiting = submitter ?? [...this.form.elements].find(({ name }) => name === "do");
    this.send();
  }

  /** A draft is saved as it is when the server answers; what readers see is only changed as it was when asked for. */
  typed() {
    this.typedAt = Date.now();
    if (!this.timer || this.waiting.value === "save") return;
    this.stop();
    this.say(_("No connection."), _("What you wrote is kept here. You have changed it since: press the button again."));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = this.waiting = null;
  }

  async send() {
    if (this.isBusy) return;
    clearTimeout(this.timer);
    this.timer = null;
    const button = this.waiting;
    this.isBusy = true;
    while (this.form.querySelector("[data-uploading]")) await new Promise((done) => setTimeout(done, UPLOAD_MS));
    const isSaving = isStaying(button) || LEAVING.has(button.value);
    const isThere = await this.reaches();
    const fields = [...new FormData(this.form)].filter(([, value]) => typeof value === "string");
    const sent = [...fields, [button.name, button.value]];
    const answer = isThere && isSaving ? await this.post(sent) : null;
    const isShown = answer && (await this.take(answer, button, sent));
    this.isBusy = false;
    if (isShown) return;
    if (!isThere) this.unreached();
    else if (answer === undefined) this.lost();
    else if (answer?.status >= 500) this.failed(_("Not saved: the server is not available."), _("What you wrote is kept here. It is tried again."));
    else this.pass(button, answer?.headers.get(REJECTED));
  }

  /** Return whether the server answers: what was not sent at all may be sent again without harm. */
  async reaches() {
    try {
      await fetch(import.meta.url, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) });
      return true;
    } catch {
      return false;
    }
  }

  /** Send fields; return the answer, undefined if the connection broke. */
  async post(fields) {
    this.keeper.sent();
    let answer;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const body = new URLSearchParams(fields);
      answer = await fetch(this.form.getAttribute("action"), { method: "POST", body, signal });
    } catch {
      // The answer stays undefined.
    }
    if (!answer?.redirected) this.keeper.unsent();
    return answer;
  }

  /** Put an answer into the page, or follow it to another one; return whether that was possible. */
  async take(answer, button, sent) {
    // The tab that asked for this entry is told by the page that follows.
    if (answer.redirected && (!isStaying(button) || this.form.elements.asks.value)) {
      location.assign(answer.url);
      return true;
    }
    if (!answer.redirected && !REFUSED.has(answer.status) && !SIGNED_OUT.has(answer.status)) return false;
    const text = await answer.text().catch(() => "");
    const shown = await import("./answers.js").catch(() => null);
    const page = shown?.entryPage(text);
    if (answer.redirected) {
      if (page) this.keeper.settled(() => shown.showSaved(page, answer.url, this.form, sent));
      else location.assign(answer.url);
      this.stop();
      return true;
    }
    if (!page && shown && SIGNED_OUT.has(answer.status)) return this.renew(shown, button);
    if (!page || !shown.showRefused(page, this.form, sent)) return false;
    this.stop();
    this.keeper.refused();
    return true;
  }

  /** Take the token of a new session of the same user, and send the form again; else ask the user to sign in. */
  async renew(shown, button) {
    const state = await shown.renewToken(this.form);
    if (state === "signed-out") {
      const link = { href: "/studio/sign-in/", text: _("Sign in in a new tab") };
      this.failed(_("Not saved: you are signed out."), _("What you wrote is kept here, and sent when you have signed in."), link);
    } else if (state === "other") this.failed(_("Not saved: somebody else is signed in in this browser."), _("What you wrote is kept here."));
    else if (this.isRenewed) return false;
    else {
      this.isRenewed = true;
      this.waiting = button;
      this.timer = setTimeout(() => this.send());
      return true;
    }
    return true;
  }

  unreached() {
    this.failed(_("No connection."), _("What you wrote is kept here, and sent when it is back."));
  }

  failed(problem, hint, link = null) {
    this.isRenewed = false;
    this.say(problem, hint, link);
    const wait = () => {
      const quiet = this.typedAt + QUIET_MS - Date.now();
      if (quiet > 0) this.timer = setTimeout(wait, quiet);
      else this.send();
    };
    this.timer = setTimeout(wait, this.retry);
    this.retry = Math.min(this.retry * 2, SLOWEST_MS);
  }

  /** The server may have saved it: an entry that exists is safe, as the form names the version that it began with. */
  lost() {
    const isStored = Boolean(this.form.elements.revision.value) && this.waiting.value !== "copy";
    if (isStored) {
      this.unreached();
      return;
    }
    this.stop();
    this.say(_("No connection."), _("What you wrote is kept here."));
    const text = _("The connection broke while it was being saved. Look whether it is in the list before you save it again.");
    const told = Object.assign(document.createElement("p"), { className: "told", role: "alert", textContent: text });
    this.form.before(told);
    told.scrollIntoView({ block: "center" });
  }

  /** Let the browser send the form, and show the answer as a page. `write` names the rejected change, if one was made. */
  pass(button, write) {
    this.stop();
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: "write", value: write ?? "" });
    if (write) this.form.prepend(field);
    this.isPassed = true;
    this.form.requestSubmit(button);
    this.isPassed = false;
    field.remove();
  }

  say(problem, hint, link = null) {
    // It lies over the line.
    document.querySelector("dialog[open]")?.close();
    document.dispatchEvent(new CustomEvent("sitecms:server", { detail: { problem, hint, link } }));
  }
}
