// The dialog of links: an address that is typed, or an entry, a file or a heading that is found by its title.

import { _ } from "../texts.js";
import { ask } from "./dialogs.js";
import { labelled, make, newId } from "./elements.js";
import { answerOf } from "./upload.js";

const FIND = "/studio/find/";
const TYPING_MS = 200;
const MAX_HEADINGS = 5;
const JSON_ONLY = { headers: { Accept: "application/json" } };

/** Return an address as links have it, or null if it is none that a text may have. Markdown may name files. */
function linkAddress(typed, isMarkdown) {
  const address = typed.trim();
  if (isMarkdown && /^[^\s:<>"]+\.(md|ya?ml)(#\S*)?$/i.test(address)) return address;
  if (!address || /[\s<>"]/.test(address)) return null;
  if (/^[^\s@/:?#]+@[^\s@/:?#]+\.[a-z]{2,}$/i.test(address)) return `mailto:${address}`;
  if (/^(https?:\/\/|(mailto|tel|sms|whatsapp|ftp|geo|ircs?|news|webcal|xmpp):|[/#?.])/i.test(address)) return address;
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)) return null;
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}([/?#:].*)?$/i.test(address) ? `https://${address}` : null;
}

/** Return the headings of the text in a text area, with the ids that they have on the site. */
async function headingsOf(area, isMarkdown) {
  const token = area.form.querySelector("[name=form_token]").value;
  const body = new URLSearchParams({ form_token: token, text: area.value, format: isMarkdown ? "markdown" : "html" });
  const { headings } = await answerOf(fetch(`${FIND}headings/`, { method: "POST", body, ...JSON_ONLY }));
  return headings;
}

/** The field of the address, with the list of what its words find, the title of what it leads to, and the headings there. */
class Target {
  constructor(area, address, headings, isMarkdown) {
    this.area = area;
    this.isMarkdown = isMarkdown;
    this.own = headings;
    this.shown = [];
    this.at = -1;
    const id = newId("targets");
    this.field = make("input", {
      value: address, autocomplete: "off", spellcheck: false, role: "combobox", ariaControls: id, ariaExpanded: "false", ariaAutocomplete: "list",
    });
    this.list = make("ul", { id, className: "targets", role: "listbox", ariaLabel: _("Found"), hidden: true });
    this.state = make("p", { className: "meta", role: "status" });
    this.heading = make("select");
    this.headings = make("div", { hidden: true }, labelled(_("Heading on that page"), this.heading));
    this.field.addEventListener("input", () => this.typed());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    // The field keeps the focus.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", ({ target }) => this.choose([...this.list.children].indexOf(target.closest("li"))));
    this.heading.addEventListener("change", () => this.take(this.heading.value));
    if (address) void this.look(address);
    else void this.find();
  }

  get elements() {
    const help = _("Words of a title, or an address such as /about/, https://example.org or mira@example.org.");
    return [labelled(_("Search, or type an address"), this.field, help), this.list, this.state, this.headings];
  }

  typed() {
    this.title = "";
    this.headings.hidden = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void (linkAddress(this.field.value, this.isMarkdown) ? this.look(this.field.value.trim()) : this.find()), TYPING_MS);
  }

  /** Show what the words of the field find. An answer to an older question is not shown. */
  async find() {
    const text = this.field.value.trim();
    const asked = this.asked = new URLSearchParams({ text, language: this.area.lang });
    const words = text.toLowerCase().split(/\s+/);
    const headings = text ? this.own.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word))) : [];
    const here = headings.slice(0, MAX_HEADINGS).map(({ id, title }) => ({ title, kind: _("Heading in this text"), address: `#${id}`, is_public: true }));
    try {
      const { found } = await answerOf(fetch(`${FIND}links/?${asked}`, JSON_ONLY));
      if (this.asked === asked) this.show([...here, ...found], text);
    } catch (error) {
      if (this.asked === asked) this.show(here, text, error.message);
    }
  }

  /** Show what was found; what is chosen in the list stays so, if it is found again. */
  show(found, text, problem = "") {
    const chosen = this.shown[this.at]?.address;
    this.shown = found;
    this.list.replaceChildren(...found.map((each, index) => this.option(each, index)));
    this.list.hidden = !found.length;
    this.field.setAttribute("aria-expanded", String(found.length > 0));
    this.state.textContent = problem || (found.length || !text ? "" : _("Nothing here has these words. Other words, or an address?"));
    this.point(found.findIndex(({ address }) => address === chosen));
  }

  option({ title, kind, address, is_public: isPublic }, index) {
    const more = isPublic ? `${kind} · ${address}` : `${kind} · ${address} · ${_("not published")}`;
    return make("li", { id: `${this.list.id}-${index}`, role: "option" }, make("span", {}, title), make("span", { className: "under" }, more));
  }

  point(index) {
    this.at = index;
    [...this.list.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === index)));
    const option = this.list.children[index];
    if (option) this.field.setAttribute("aria-activedescendant", option.id);
    else this.field.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    const { length } = this.shown;
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at < 0 ? length - 1 : this.at - 1 }[event.key];
    if (to !== undefined && length && !this.list.hidden) this.point((to + length) % length);
    else if (event.key === "Enter" && this.at >= 0) this.choose(this.at);
    else if (event.key === "Escape" && !this.list.hidden && this.field.value) this.show([], "");
    else return;
    event.preventDefault();
  }

  choose(index) {
    const chosen = this.shown[index];
    if (!chosen) return;
    this.take(chosen.address);
    this.show([], "");
    this.say(chosen);
    if (!chosen.address.startsWith("#")) void this.look(chosen.address);
  }

  take(address) {
    this.field.value = address;
    this.field.removeAttribute("aria-invalid");
  }

  say({ title, kind, is_public: isPublic }) {
    this.title = title;
    this.state.textContent = isPublic ? _("Leads to: %(title)s (%(kind)s)", { title, kind })
      : _("Leads to: %(title)s (%(kind)s). Readers can open it once it is published.", { title, kind });
  }

  /** Show the title of what an address of this site leads to, and its headings. */
  async look(address) {
    const asked = this.asked = address;
    this.show([], "");
    if (address.startsWith("#")) {
      const heading = this.own.find(({ id }) => `#${id}` === address);
      if (heading) this.say({ title: heading.title, kind: _("Heading in this text"), is_public: true });
      return;
    }
    if (!address.startsWith("/")) return;
    const query = new URLSearchParams({ address });
    const { target, headings } = await answerOf(fetch(`${FIND}link-target/?${query}`, JSON_ONLY)).catch(() => ({}));
    if (this.asked !== asked || !target) return;
    this.say(target);
    const [path] = address.split("#");
    const options = headings.map(({ id, title }) => make("option", { value: `${path}#${id}` }, title));
    this.heading.replaceChildren(make("option", { value: path }, _("The whole page")), ...options);
    this.heading.value = address;
    if (!this.heading.value) this.heading.value = path;
    this.headings.hidden = !options.length;
  }
}

/**
 * Ask for a link in the text of a text area: `{ address, text }`, with the address "" to remove it. `text` is given where no
 * words are selected that become the link.
 */
export async function askLink(area, { address = "", text = null, isMarkdown = false } = {}) {
  const headings = await headingsOf(area, isMarkdown).catch(() => []);
  const target = new Target(area, address, headings, isMarkdown);
  const words = make("input", { value: text ?? "", autocomplete: "off" });
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const fields = [...target.elements, problem];
  if (text !== null) fields.push(labelled(_("Text of the link"), words, _("The title, if it is empty.")));
  const buttons = address ? [["save", _("Change the link")], ["remove", _("Remove the link")]] : [["save", _("Add the link")]];
  return ask(_("Link"), fields, buttons, (button) => {
    if (button === "remove") return { address: "", text: words.value };
    const found = linkAddress(target.field.value, isMarkdown);
    if (found) return { address: found, text: words.value.trim() || target.title || found };
    problem.textContent = _("Choose one of the list, or type an address such as /about/, https://example.org or mira@example.org.");
    problem.hidden = false;
    target.field.setAttribute("aria-invalid", "true");
    target.field.focus();
    return undefined;
  });
}
