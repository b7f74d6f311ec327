// Sends the form of an entry and leaves the page only once the server has answered. While it cannot be reached, the page
// stays, says so, and tries again. Without this script the form is sent as any other.
//
// What saves is sent by a script, and a redirect that answers it is followed. Any other answer has changed nothing: then
// the browser sends the form itself and shows that answer, as a form with errors or a conflict. Where a worker rejected
// the change, the form names that change, so that it is not accepted twice. Buttons that only change what the form shows
// are sent by the browser, too, once the server is known to be there.

const SAVING = new Set(["save", "publish", "schedule", "unpublish", "discard", "delete", "copy"]);
const AWAY = new Set([502, 503]);
const REJECTED = "Sitecms-Write";
const PROBE_MS = 10_000;
const ANSWER_MS = 60_000;
const RETRY_MS = 2000;
const SLOWEST_MS = 30_000;
const QUIET_MS = 1500;
// Pasted pictures have no address to be saved before they are uploaded.
const UPLOAD_MS = 100;
const UNREACHED = "no connection";
const KEPT = "The text stays on this device.";
const AGAIN = `It is tried again until the server answers. ${KEPT}`;
const CHANGED = `You have changed the form since: press the button again. ${KEPT}`;
const UNKNOWN = "The connection broke while it was being saved. Look whether it is in the list before you save it again.";

export class Saving {
  /** `keeper` notes what is being sent (`sent`), and takes that back (`unsent`). */
  constructor(form, keeper) {
    this.form = form;
    this.keeper = keeper;
    this.retry = RETRY_MS;
    this.typedAt = 0;
    document.addEventListener("submit", (event) => this.submitted(event), true);
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.typed());
    addEventListener("online", () => this.waiting && this.send());
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
    this.say(UNREACHED, CHANGED);
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
    const isThere = await this.reaches();
    const answer = isThere && SAVING.has(button.value) ? await this.post(button) : null;
    if (answer?.redirected) {
      location.assign(answer.url);
      return;
    }
    this.isBusy = false;
    if (!isThere || AWAY.has(answer?.status)) this.failed(isThere ? "the server is not available" : UNREACHED);
    else if (answer === undefined) this.lost();
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

  /** Send the form as the button does; return the answer, undefined if the connection broke. */
  async post(button) {
    const fields = [...new FormData(this.form)].filter(([, value]) => typeof value === "string");
    const body = new URLSearchParams([...fields, [button.name, button.value]]);
    this.keeper.sent();
    let answer;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      answer = await fetch(this.form.getAttribute("action"), { method: "POST", body, signal });
    } catch {
      // The answer stays undefined.
    }
    if (!answer?.redirected) this.keeper.unsent();
    return answer;
  }

  failed(problem) {
    this.say(problem, AGAIN);
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
      this.failed(UNREACHED);
      return;
    }
    this.stop();
    this.say(UNREACHED, KEPT);
    const told = Object.assign(document.createElement("p"), { className: "told", role: "alert", textContent: UNKNOWN });
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

  say(problem, hint) {
    // It lies over the line.
    document.querySelector("dialog[open]")?.close();
    document.dispatchEvent(new CustomEvent("sitecms:server", { detail: { problem, hint } }));
  }
}
