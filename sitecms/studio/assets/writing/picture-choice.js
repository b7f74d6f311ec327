// Dialogs that choose one picture of the media library, or several at once.

import { _, ngettext } from "../texts.js";
import { ask } from "./dialogs.js";
import { labelled, make } from "./elements.js";
import { answerOf, MEDIA, uploadAll } from "./upload.js";

const SEARCH_MS = 250;

/**
 * The pictures of the library, with upload, search and more pages. What is chosen stays so while others are looked for; of
 * several the order is kept. `changed` gets a picture that was chosen or uploaded, undefined for one that is not any more.
 */
class Library {
  constructor(form, changed, { current = "", isSeveral = false } = {}) {
    Object.assign(this, { form, changed, current, isSeveral, picked: new Map() });
    this.own = make("input", { type: "file", accept: "image/*", multiple: isSeveral });
    this.search = make("input", { type: "search", autocomplete: "off" });
    this.list = make("ul", { className: "tiles" });
    this.more = make("button", { type: "button", hidden: true }, _("Show older ones"));
    this.state = make("p", { className: "meta", role: "status" });
    this.problem = make("p", { className: "problem", role: "alert", hidden: true });
    this.own.addEventListener("change", () => void this.take([...this.own.files]));
    this.search.addEventListener("input", () => this.later());
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.show(1);
    });
    this.more.addEventListener("click", () => this.show(this.page + 1));
    this.show(1);
  }

  /** Return the chosen pictures, as the library describes them. */
  get chosen() {
    return [...this.picked.values()];
  }

  say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(1), SEARCH_MS);
  }

  async show(page) {
    const query = new URLSearchParams({ kind: "image", text: this.search.value, page });
    this.asked = query;
    try {
      const found = await answerOf(fetch(`${MEDIA}?${query}`, { headers: { Accept: "application/json" } }));
      if (this.asked !== query) return;
      if (page === 1) this.list.replaceChildren();
      this.page = page;
      const before = this.list.childElementCount;
      this.list.append(...found.files.map((file) => this.tile(file)));
      this.more.hidden = page >= found.pages;
      this.state.textContent = found.count ? ngettext("%(num)s picture", "%(num)s pictures", found.count) : _("No picture matches.");
      if (page > 1) this.list.children[before]?.querySelector("input").focus();
    } catch (error) {
      this.state.textContent = error.message;
    }
  }

  tile(file) {
    const isPicked = this.picked.size ? this.picked.has(file.url) : file.url === this.current;
    const input = make("input", { type: this.isSeveral ? "checkbox" : "radio", name: "picture", value: file.url, checked: isPicked });
    input.addEventListener("change", () => this.pick(file, input.checked));
    const shown = make("img", { src: file.thumbnail, alt: "", loading: "lazy", width: 160, height: 120, className: file.focus });
    return make("li", {}, make("label", {}, input, shown, make("span", {}, file.name)));
  }

  pick(file, isChosen = true) {
    if (!this.isSeveral) this.picked.clear();
    if (isChosen) this.picked.set(file.url, file);
    else this.picked.delete(file.url);
    this.changed(isChosen ? file : undefined);
  }

  /** Upload files, and choose them. */
  async take(files) {
    const chosen = this.isSeveral ? files : files.slice(0, 1);
    if (!chosen.length) return;
    this.say("");
    const problems = await uploadAll(chosen, this.form, (text) => { this.state.textContent = text; }, (stored) => {
      this.list.querySelector(`[value="${CSS.escape(stored.url)}"]`)?.closest("li").remove();
      this.pick(stored);
      this.list.prepend(this.tile(stored));
      this.state.textContent = stored.repeated || _("Uploaded.");
    });
    this.own.value = "";
    if (problems.length === chosen.length) this.state.textContent = "";
    this.say(problems.join(" "));
  }

  draw() {
    const upload = this.isSeveral ? _("Upload pictures, or drop them here; 100 MB each at most") : _("Upload a picture, 100 MB at most");
    return [
      labelled(upload, this.own),
      labelled(_("Search the library by file name or description"), this.search),
      make("fieldset", { className: "choose" }, make("legend", { className: "hidden" }, _("Pictures")), this.list),
      make("p", { className: "buttons small" }, this.more, this.state),
    ];
  }
}

/**
 * Ask for a picture, its description, and its caption unless `caption` is null: `{ url, alt, caption }`, with what `options`
 * read of their fields. With a picture given, its texts can be changed and another one chosen.
 */
export function askPicture(form, { url = "", alt = "", caption = null, options = null } = {}) {
  const words = make("input", { value: alt, maxLength: 250, autocomplete: "off" });
  const under = make("input", { value: caption ?? "", autocomplete: "off" });
  let suggested = "";
  const library = new Library(form, (file) => {
    if (!words.value || words.value === suggested) words.value = suggested = file.alt;
    picture.changed?.();
  }, { current: url });
  const picture = {
    form,
    say: (text) => library.say(text),
    use(file) {
      library.pick(file);
      library.list.prepend(library.tile(file));
    },
    get address() { return library.chosen[0]?.url ?? url; },
    get name() { return library.chosen[0]?.name ?? ""; },
  };
  const fields = [
    ...library.draw(),
    labelled(_("Description of the picture"), words, _("For people who cannot see it. Leave it empty for decoration.")),
    ...(caption === null ? [] : [labelled(_("Caption, shown under the picture"), under)]),
    ...(options?.draw(picture) ?? []),
    library.problem,
  ];
  return ask(_("Picture"), fields, [["use", url ? _("Change the picture") : _("Insert the picture")]], () => {
    const { address } = picture;
    if (!address) return library.say(_("Choose a picture, or upload one."));
    return { url: address, alt: words.value.trim(), caption: under.value.trim(), ...options?.read() };
  }, "wide", (files) => library.take(files));
}

/** Ask for several pictures at once; return them as the library describes them, in the order in which they were chosen. */
export function askPictures(form) {
  const label = make("span");
  const library = new Library(form, () => showCount(), { isSeveral: true });
  const showCount = () => {
    const { size } = library.picked;
    label.textContent = size ? ngettext("Add %(num)s picture", "Add %(num)s pictures", size) : _("Add pictures");
  };
  showCount();
  return ask(_("Pictures"), [...library.draw(), library.problem], [["use", label]], () => {
    const { chosen } = library;
    return chosen.length ? chosen : library.say(_("Choose a picture, or upload one."));
  }, "wide", (files) => library.take(files));
}
