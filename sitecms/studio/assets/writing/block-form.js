// The form of a block, made from the declaration of its directive. What it returns is the directive as Markdown has it,
// and the HTML that the server makes of it.

import { ask } from "./dialogs.js";
import { iconButton, labelled, make } from "./elements.js";
import { fragmentOf } from "./html.js";
import { pictureOf } from "./markdown-text.js";
import { _, ngettext } from "../texts.js";
import { answerOf, MEDIA, upload, uploadAll, uploading } from "./upload.js";

const BLOCKS = "/studio/blocks/";
/** A place for content, in a directive that is rendered without it. */
export const HOLE = '<p data-directive-hole=""></p>';
const ACCEPTED = { picture: "image/*", video: "video/*", audio: "audio/*", file: "" };
const KINDS = { picture: "image", video: "video", audio: "audio", file: "" };
/** What an address alone becomes, by the name of the block: its page is asked for its title. */
const PAGES = { bookmark: "card", embed: "player" };
const CONTENT_ROWS = 8;
let forms = null;

/** Return the blocks of the site by the name of the directive, in their order. Throws an Error with a message for people. */
export function blockForms() {
  forms ??= answerOf(fetch(BLOCKS, { headers: { Accept: "application/json" } })).then(
    ({ blocks }) => new Map(blocks.map((block) => [block.name, block])),
  );
  forms.catch(() => (forms = null));
  return forms;
}

/** Return what the server makes of a directive: `{ html }` or `{ problems }`. */
export function rendered(text, area) {
  const form = new URL(area.form.action).pathname;
  const token = area.form.querySelector("[name=form_token]").value;
  const body = new URLSearchParams({ form_token: token, text, form, language: area.lang });
  return answerOf(fetch(BLOCKS, { method: "POST", body, headers: { Accept: "application/json" } }));
}

/** Return the value of an argument; quotation marks that would end it become typographic. */
function quoted(value) {
  const text = value.replace(/\s+/g, " ");
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? `"${text.replace(/"/g, "”")}"` : `'${text}'`;
}

/** Return a directive as it stands in Markdown. `options` are pairs of name and value, true for one without a value. */
export function directiveText({ name, title = "", options = [], content = "" }) {
  const written = options.map(([key, value]) => (key === "" ? value : value === true ? key : `${key}=${quoted(value)}`));
  const braces = written.length ? ` {${written.join(" ")}}` : "";
  const head = `${name}${title ? ` ${title.replace(/\s+/g, " ").replace(/\{/g, "&#123;")}` : ""}${braces}`;
  return `::: ${head}\n${content ? `${content}\n` : ""}:::`;
}

/** A field of the form with the value of an argument. */
class ArgumentField {
  constructor(field, value, area) {
    this.field = field;
    this.area = area;
    const { type, choices } = field;
    if (type === "choice") {
      const all = value && !choices.includes(value) ? [value, ...choices] : choices;
      this.input = make("select", {}, make("option", { value: "" }, "—"), ...all.map((each) => make("option", { value: each }, each)));
      this.input.value = value ?? "";
    } else if (type === "flag") {
      this.input = make("input", { type: "checkbox", checked: value !== undefined });
    } else {
      const inputMode = { number: "numeric", address: "url" }[type] ?? "text";
      this.input = make("input", { value: value ?? "", inputMode, autocomplete: "off", spellcheck: type === "text" });
    }
    if (field.is_required) this.input.setAttribute("aria-required", "true");
  }

  get isEmpty() {
    return this.field.type !== "flag" && !this.input.value.trim();
  }

  /** Return the argument as a list of one pair, or of none. */
  get options() {
    if (this.field.type === "flag") return this.input.checked ? [[this.field.name, true]] : [];
    return this.isEmpty ? [] : [[this.field.name, this.input.value.trim()]];
  }

  /** Return the elements of the field. */
  draw(say) {
    const { label, help, type, is_required: isRequired } = this.field;
    const words = isRequired ? label : _("%(label)s (optional)", { label });
    if (type === "flag") return [make("label", { className: "check" }, this.input, ` ${label}`)];
    if (!(type in ACCEPTED)) return [labelled(words, this.input, help)];
    const drawn = labelled(words, this.input, help || _("An address, here or on the web. Those of the library are in the list."));
    const list = make("datalist", { id: `${this.input.id}-files` });
    this.input.setAttribute("list", list.id);
    this.input.addEventListener("focus", () => void this.suggest(list), { once: true });
    const own = make("input", { type: "file", accept: ACCEPTED[type] });
    own.addEventListener("change", () => void this.take(own, say));
    const choose = make("button", { type: "button" }, _("Choose a picture"));
    choose.addEventListener("click", () => void this.choose());
    drawn.append(list);
    return type === "picture" ? [drawn, make("p", { className: "buttons small" }, choose)] : [labelled(_("Upload: %(label)s", { label }), own), drawn];
  }

  async suggest(list) {
    const query = new URLSearchParams({ kind: KINDS[this.field.type] });
    const { files } = await answerOf(fetch(`${MEDIA}?${query}`, { headers: { Accept: "application/json" } })).catch(() => ({ files: [] }));
    list.append(...files.map(({ url, name }) => make("option", { value: url }, name)));
  }

  async take(own, say) {
    const [file] = own.files;
    if (!file) return;
    try {
      const stored = await upload(file, this.area.form, (part) => say(uploading(file, part)));
      this.input.value = stored.url;
      say(_("Uploaded."));
    } catch (error) {
      say(error.message, true);
    }
  }

  async choose() {
    const { askPicture } = await import("./picture-choice.js");
    const answer = await askPicture(this.area.form, { url: this.input.value });
    if (answer) this.input.value = answer.url;
    this.input.focus();
  }
}

/** The pictures of a gallery, each with its description and caption, in an order that buttons change. */
class PictureList {
  constructor(pictures, area) {
    this.area = area;
    this.list = make("ol", { className: "block-pictures" });
    for (const picture of pictures) this.add(picture);
  }

  add(picture) {
    const alt = make("input", { value: picture.alt ?? "", maxLength: 250, autocomplete: "off" });
    const caption = make("input", { value: picture.caption ?? "", autocomplete: "off" });
    const row = make("li", {}, make("img", { src: picture.url, alt: "" }),
      make("div", { className: "stack" }, labelled(_("Description"), alt), labelled(_("%(label)s (optional)", { label: _("Caption") }), caption)),
      make("div", { className: "buttons small" },
        iconButton("up", _("Move the picture up"), () => this.move(row, -1)), iconButton("down", _("Move the picture down"), () => this.move(row, 1)),
        iconButton("remove", _("Take the picture out"), () => this.remove(row))));
    row.read = () => ({ ...picture, alt: alt.value.trim(), caption: caption.value.trim() });
    this.list.append(row);
  }

  move(row, by) {
    const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
    const button = document.activeElement;
    if (other) other[by < 0 ? "before" : "after"](row);
    button.focus();
  }

  remove(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (next?.querySelector("button:last-of-type") ?? this.own).focus();
  }

  get pictures() {
    return [...this.list.children].map((row) => row.read());
  }

  draw(say) {
    this.own = make("input", { type: "file", accept: "image/*", multiple: true });
    this.own.addEventListener("change", () => void this.take([...this.own.files], say));
    const choose = make("button", { type: "button" }, _("Choose from the library"));
    choose.addEventListener("click", () => void this.choose(choose));
    const label = _("Upload pictures, or drop them here; 100 MB each at most");
    return [this.list, labelled(label, this.own), make("p", { className: "buttons small" }, choose)];
  }

  /** Choose several pictures of the library at once. */
  async choose(button) {
    const { askPictures } = await import("./picture-choice.js");
    for (const { url, alt } of (await askPictures(this.area.form)) ?? []) this.add({ url, alt });
    button.focus();
  }

  /** Upload files into the list. */
  async take(files, say) {
    const problems = await uploadAll(files, this.area.form, say, ({ url, alt }) => this.add({ url, alt }));
    say(problems.join(" "), true);
    const count = files.length - problems.length;
    say(count ? ngettext("%(num)s picture is uploaded.", "%(num)s pictures are uploaded.", count) : "");
    this.own.value = "";
  }
}

/** Return a picture of a gallery, with the link that it has in place of the one to itself. */
function galleryLine({ link, ...picture }) {
  return link && link !== picture.url ? `[${pictureOf(picture)}](<${link}>)` : pictureOf(picture);
}

/** Return the lines within a directive: the pictures of a gallery, and a caption or other text. */
export function linesOf({ pictures = [], content = "" }) {
  return [pictures.map(galleryLine).join("\n"), content].filter(Boolean).join("\n\n");
}

/** The fields of one block, and the directive that they say. */
class BlockForm {
  constructor(block, old, area) {
    Object.assign(this, { block, old, area });
    const options = new Map(old.options ?? []);
    const isOpen = block.fields.some(({ name }) => name === "");
    this.kept = isOpen ? [] : [...options].filter(([name]) => !block.fields.some((field) => field.name === name));
    this.fields = block.fields.map((field) => {
      const value = field.name === "" ? old.braces : options.get(field.name);
      return new ArgumentField(field, value, area);
    });
    this.title = make("input", { value: old.title ?? "", autocomplete: "off" });
    this.content = make(block.content === "text" ? "textarea" : "input", { value: old.content ?? "" });
    if (block.content === "text") this.content.rows = CONTENT_ROWS;
    this.pictures = new PictureList(old.pictures ?? [], area);
    this.isContentAsked = ["text", "caption", "pictures"].includes(block.content) && !old.isInPlace;
  }

  draw(kinds, say) {
    const { block } = this;
    const drawn = [];
    if (kinds.length > 1) {
      this.kind = make("select", {}, ...kinds.map(({ name, label }) => make("option", { value: name, selected: name === block.name }, label)));
      drawn.push(labelled(_("Kind"), this.kind));
    }
    if (block.title) drawn.push(labelled(block.is_title_required ? block.title : _("%(label)s (optional)", { label: block.title }), this.title));
    if (block.content === "pictures") drawn.push(...this.pictures.draw(say));
    drawn.push(...this.fields.flatMap((field) => field.draw(say)));
    if (this.isContentAsked) {
      const isText = block.content === "text";
      const label = isText ? _("Content") : _("%(label)s (optional)", { label: _("Caption") });
      const help = isText ? _("Lines within the block.") : _("Shown below it.");
      drawn.push(labelled(label, this.content, help));
    }
    return drawn;
  }

  /** Return what is missing as a sentence, "" if nothing is. */
  get problem() {
    if (this.block.is_title_required && !this.title.value.trim()) return _("%(label)s: type a text.", { label: this.block.title });
    if (this.block.content === "pictures" && !this.pictures.pictures.length) return _("Add a picture.");
    const missing = this.fields.find(({ field, isEmpty }) => field.is_required && isEmpty);
    if (!missing) return "";
    const { label, type } = missing.field;
    return type === "text" ? _("%(label)s: type a text.", { label }) : _("%(label)s: choose or type one.", { label });
  }

  /** Return whether there is nothing to ask. */
  get isEmpty() {
    const { title, fields, content } = this.block;
    return !title && !fields.length && !this.isContentAsked && content !== "pictures";
  }

  /** Return what the page at an address that stands alone says of itself: its player or card, null without them. */
  async fromPage(say) {
    const [[name, address] = [], ...more] = this.fields.flatMap((field) => field.options);
    if (!(this.block.name in PAGES) || name !== "url" || more.length || this.content.value.trim() || !/^https?:/i.test(address)) return null;
    const { answerFor } = await import("./addresses.js");
    say(_("Reading the page…"));
    const { markdown: text, html } = await answerFor(address, this.area, PAGES[this.block.name]);
    say("");
    return html ? { text, html } : null;
  }

  /** Return the directive with its content, or a hole for content that is formatted in place. */
  read(hole) {
    const { block, old } = this;
    const lines = linesOf({ pictures: this.pictures.pictures, content: this.content.value.trim() });
    const isPlaced = old.isInPlace || block.content === "blocks";
    const content = isPlaced ? hole : this.isContentAsked ? lines : "";
    const options = [...this.kept, ...this.fields.flatMap((field) => field.options)];
    return directiveText({ name: this.kind?.value ?? block.name, title: this.title.value.trim(), options, content });
  }
}

/**
 * Ask for the settings of a block: `old` has its `name`, and what it is now: `title`, `options` (pairs), `braces`,
 * `pictures`, `content`, and `isInPlace` if its content is formatted in place, for which `hole` stands in the directive.
 * Return `{ text, html }`: the directive and its HTML, or null if it was cancelled.
 */
export async function askBlock(old, area, hole) {
  const all = await blockForms();
  const block = all.get(old.name);
  if (!block) throw new Error(_("The block “%(name)s” is not known here. It can be edited as HTML.", { name: old.name }));
  const form = new BlockForm(block, old, area);
  const kinds = block.group ? [...all.values()].filter(({ group }) => group === block.group) : [];
  if (old.isNew && form.isEmpty && kinds.length < 2) {
    const text = form.read(hole);
    const { html, problems } = await rendered(text, area);
    if (problems) throw new Error(problems.join(" "));
    return { text, html };
  }
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const state = make("p", { className: "meta", role: "status" });
  const say = (text, isProblem = false) => {
    if (isProblem) problem.hidden = !text;
    (isProblem ? problem : state).textContent = text;
  };
  const fields = [...form.draw(kinds, say), state, problem];
  const label = old.isNew ? _("Insert") : _("Change");
  return ask(old.isNew && block.group ? block.group : block.label, fields, [["use", label]], async () => {
    if (form.problem) return void say(form.problem, true);
    const text = form.read(hole);
    try {
      const taken = old.isNew && (await form.fromPage(say));
      if (taken) return taken;
      const { html, problems } = await rendered(text, area);
      if (!problems) return { text, html };
      say(problems.map((each) => each.replace(/^Line \d+: /, "")).join(" "), true);
    } catch (error) {
      say(error.message, true);
    }
    return undefined;
  }, "wide", block.content === "pictures" ? (files) => form.pictures.take(files, say) : null);
}

/** Return HTML without the parts that only the server adds, for comparisons. */
export function comparable(html) {
  const content = fragmentOf(html);
  for (const element of content.querySelectorAll("img, video, [id]")) {
    for (const name of ["width", "height", "id"]) element.removeAttribute(name);
  }
  return content;
}
