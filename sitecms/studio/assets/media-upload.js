// <media-upload> around a field for files: uploads what is chosen or dropped, several files at once, with progress.
// In a form that chooses pictures (data-choice) the uploaded ones are chosen; elsewhere the library below gets them.

import { make } from "./writing/elements.js";
import { upload } from "./writing/upload.js";
import { _, ngettext } from "./texts.js";

const AT_ONCE = 2;

class MediaUpload extends HTMLElement {
  connectedCallback() {
    this.input = this.querySelector("input[type=file]");
    if (this.list || !this.input) return;
    this.form = this.closest("form") ?? this.querySelector("form");
    this.isChoice = "choice" in this.dataset;
    this.waiting = [];
    this.running = 0;
    this.done = 0;
    this.failed = 0;
    this.list = make("ul", { className: "uploads" });
    this.state = make("p", { className: "meta", role: "status" });
    this.querySelector("button").hidden = true;
    this.input.required = false;
    if (!this.isChoice) this.querySelector("label").textContent = _("Upload files, or drop them here; 100 MB each at most");
    this.append(this.list, this.state);
    this.input.addEventListener("change", () => {
      const files = [...this.input.files];
      this.input.value = "";
      this.add(files);
    });
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) this.addEventListener(name, (event) => this.dragged(event));
    addEventListener("beforeunload", (event) => {
      if (this.running) event.preventDefault();
    });
  }

  dragged(event) {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    this.classList.toggle("over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") this.add([...event.dataTransfer.files]);
  }

  add(files) {
    const chosen = this.input.multiple ? files : files.slice(0, 1);
    for (const file of chosen) {
      const bar = make("progress", { max: 1, value: 0, ariaLabel: _("Upload of %(name)s", { name: file.name }) });
      const text = make("span", { className: "meta" }, _("Waiting"));
      const row = make("li", {}, make("span", { className: "name" }, file.name), text, bar);
      this.list.append(row);
      this.waiting.push({ file, bar, text, row });
    }
    while (this.running < AT_ONCE && this.waiting.length) void this.next();
  }

  async next() {
    const { file, bar, text, row } = this.waiting.shift();
    this.running += 1;
    this.tell();
    try {
      const stored = await upload(file, this.form, (part) => {
        bar.value = part;
        text.textContent = part < 1 ? `${Math.floor(part * 100)} %` : _("Preparing the picture…");
        if (part >= 1) bar.removeAttribute("value");
      });
      if (stored.repeated) {
        bar.remove();
        text.textContent = stored.repeated;
      } else {
        this.done += 1;
        row.remove();
      }
      this.show(stored);
    } catch (error) {
      this.failed += 1;
      bar.remove();
      text.remove();
      row.replaceChildren(make("p", { className: "problem", role: "alert" }, error.message.startsWith(file.name) ? error.message : `${file.name}: ${error.message}`));
    }
    this.running -= 1;
    if (this.waiting.length) await this.next();
    else this.tell();
  }

  tell() {
    const left = this.running + this.waiting.length;
    const done = this.done ? ngettext("%(num)s file uploaded.", "%(num)s files uploaded.", this.done) : "";
    const failed = this.failed ? ngettext("%(num)s file not taken.", "%(num)s files not taken.", this.failed) : "";
    this.state.textContent = left ? ngettext("Uploading, %(num)s file to go.", "Uploading, %(num)s files to go.", left) : `${done} ${failed}`.trim();
  }

  /** Add to the number of files above the list. */
  count(more) {
    const counted = document.querySelector("#counted");
    if (!counted) return;
    const all = (counted.dataset.count = Number(counted.dataset.count) + more);
    counted.textContent = ngettext("%(num)s file, the newest first.", "%(num)s files, the newest first.", all);
  }

  /** Put an uploaded file into the list of the page, in place of a tile that shows it already. */
  show(file) {
    const tiles = document.querySelector("#files");
    const shown = file.thumbnail
      ? make("img", { src: file.thumbnail, alt: "", width: 160, height: 120, className: file.focus })
      : make("span", { className: "noimage", ariaHidden: "true" }, file.url.split(".").at(-1));
    const name = make("span", {}, file.name);
    const before = tiles.childElementCount;
    document.querySelector("p.empty")?.remove();
    for (const old of tiles.children) {
      if (old.querySelector(`[href="${file.page}"], [value="${file.url}"]`)) old.remove();
    }
    if (this.isChoice && file.thumbnail) {
      const box = make("input", { type: this.input.multiple ? "checkbox" : "radio", name: "picture", value: file.url, checked: true });
      box.dataset.alt = file.alt;
      tiles.prepend(make("li", {}, make("label", {}, box, shown, name)));
      box.dispatchEvent(new Event("change", { bubbles: true }));
      return;
    }
    const facts = make("span", { className: "meta" }, file.width ? `${file.width} × ${file.height}` : "");
    if (file.thumbnail && !file.alt && !file.is_decorative) facts.append(" · ", make("span", { className: "missing" }, _("no description")));
    tiles.prepend(make("li", {}, make("a", { href: file.page }, shown, name), facts));
    this.count(tiles.childElementCount - before);
  }
}

/** Suggest the description of the picture that is chosen, unless another one was typed; say how many of several are. */
function follow(form) {
  const words = form.querySelector("[name=picture_alt]");
  if (!words) {
    const button = form.querySelector("[value=use-picture]");
    const showCount = () => {
      const { length } = form.querySelectorAll("[name=picture]:checked");
      button.textContent = length ? ngettext("Add %(num)s picture", "Add %(num)s pictures", length) : _("Add pictures");
    };
    showCount();
    form.addEventListener("change", showCount);
    return;
  }
  let suggested = "";
  form.addEventListener("change", ({ target }) => {
    if (target.name !== "picture" || (words.value && words.value !== suggested)) return;
    suggested = target.dataset.alt ?? "";
    words.value = suggested;
  });
}

customElements.define("media-upload", MediaUpload);
const choice = document.querySelector("form.choose");
if (choice) follow(choice);
