// Pictures of the media library: choosing one, and uploading those that are dropped or pasted.

import { _, ngettext } from "../texts.js";
import { ask } from "./dialogs.js";
import { labelled, make } from "./elements.js";
import { answerOf, copyRemote, MEDIA, upload, uploading } from "./upload.js";

export { copyRemote, upload, uploading } from "./upload.js";

/** Return the name of a file without its end, as a first description: empty where a camera or a program made it. */
function describedBy(name) {
  const words = name.replace(/\.[a-z0-9]+$/i, "").replace(/[_-]+/g, " ").trim();
  return /\d{3}|^(image|img|picture|screenshot|untitled|unnamed)\b/i.test(words) || !words.includes(" ") ? "" : words;
}

/** Return the first description of an uploaded picture: that of the library, else one made of its name. */
export function firstWords(stored, file) {
  return stored.is_decorative ? "" : stored.alt || describedBy(file.name);
}

/** A list of pictures to choose from, with search and more pages. */
class Library {
  constructor(current) {
    this.current = current;
    this.search = make("input", { type: "search", autocomplete: "off" });
    this.list = make("ul", { className: "tiles" });
    this.more = make("button", { type: "button", hidden: true }, _("Show older ones"));
    this.state = make("p", { className: "meta", role: "status" });
    this.search.addEventListener("input", () => this.later());
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.show(1);
    });
    this.more.addEventListener("click", () => this.show(this.page + 1));
    this.show(1);
  }

  get chosen() {
    return this.list.querySelector(":checked")?.value ?? "";
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(1), 250);
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
    const radio = make("input", { type: "radio", name: "picture", value: file.url, checked: file.url === this.current });
    radio.dataset.alt = file.alt;
    radio.dataset.name = file.name;
    const shown = make("img", { src: file.thumbnail, alt: "", loading: "lazy", width: 160, height: 120, className: file.focus });
    return make("li", {}, make("label", {}, radio, shown, make("span", {}, file.name)));
  }
}

/**
 * Ask for a picture, its description, and its caption unless `caption` is null: `{ url, alt, caption }`, with what `options`
 * read of their fields. With a picture given, its texts can be changed and another one chosen.
 */
export function askPicture(form, { url = "", alt = "", caption = null, options = null } = {}) {
  const library = new Library(url);
  const own = make("input", { type: "file", accept: "image/*" });
  const words = make("input", { value: alt, maxLength: 250, autocomplete: "off" });
  const under = make("input", { value: caption ?? "", autocomplete: "off" });
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const say = (text) => {
    problem.textContent = text;
    problem.hidden = false;
  };
  let suggested = "";
  const suggest = (text) => {
    if (words.value && words.value !== suggested) return;
    suggested = text;
    words.value = text;
  };
  const use = (file) => {
    library.list.prepend(library.tile(file));
    library.list.querySelector("input").checked = true;
    suggest(file.alt);
    picture.changed?.();
  };
  const picture = {
    form, say, use,
    get address() { return library.chosen || url; },
    get name() { return library.list.querySelector(":checked")?.dataset.name ?? ""; },
  };
  library.list.addEventListener("change", ({ target }) => {
    suggest(target.dataset.alt ?? "");
    picture.changed?.();
  });
  own.addEventListener("change", async () => {
    const [file] = own.files;
    if (!file) return;
    problem.hidden = true;
    library.state.textContent = _("Uploading…");
    try {
      const uploaded = await upload(file, form, (part) => {
        library.state.textContent = part < 1 ? _("Uploading, %(percent)s %%", { percent: Math.floor(part * 100) }) : _("Preparing the picture…");
      });
      use(uploaded);
      library.state.textContent = uploaded.repeated || _("Uploaded.");
      if (!words.value) words.focus();
    } catch (error) {
      library.state.textContent = "";
      say(error.message);
    }
  });
  const fields = [
    labelled(_("Upload a picture, 100 MB at most"), own),
    labelled(_("Search the library by file name or description"), library.search),
    make("fieldset", { className: "choose" }, make("legend", { className: "hidden" }, _("Pictures")), library.list),
    make("p", { className: "buttons small" }, library.more, library.state),
    labelled(_("Description of the picture"), words, _("For people who cannot see it. Leave it empty for decoration.")),
    ...(caption === null ? [] : [labelled(_("Caption, shown under the picture"), under)]),
    ...(options?.draw(picture) ?? []),
    problem,
  ];
  return ask(_("Picture"), fields, [["use", url ? _("Change the picture") : _("Insert the picture")]], () => {
    const address = library.chosen || url;
    if (!address) return say(_("Choose a picture, or upload one."));
    return { url: address, alt: words.value.trim(), caption: under.value.trim(), ...options?.read() };
  }, "wide");
}

/**
 * Upload pasted pictures that have bytes; `change` gets the address of each meanwhile, with the stored file or null. Return
 * what there is to say of all pictures; `tell` says how far they are.
 */
export async function settle({ files, lost }, form, tell, change) {
  const said = [];
  for (const [address, file] of files) {
    try {
      change(address, await upload(file, form, (part) => tell(uploading(file, part))));
    } catch (error) {
      change(address, null);
      said.push(error.message);
    }
    URL.revokeObjectURL(address);
  }
  if (files.size && !said.length) said.push(ngettext("The pasted picture is in the media library now.", "The %(num)s pasted pictures are in the media library now.", files.size));
  if (lost.length) said.push(_("Not pasted, since browsers give only the address and not the picture: %(names)s. Upload it, or copy the picture alone.", { names: lost.join(", ") }));
  return said.join(" ");
}

/** Offer copies of pictures that stay on other hosts; `change` puts a stored file in the place of all of an address. */
export function offerCopies(editor, remote, change) {
  const addresses = [...new Set(remote)];
  if (!addresses.length) return;
  const hosts = [...new Set(addresses.map((each) => new URL(each).host))].join(", ");
  const words = ngettext(
    "One picture stays at %(hosts)s, and may vanish from there.",
    "%(num)s pictures stay at %(hosts)s, and may vanish from there.", addresses.length, { hosts });
  editor.offer(words, [[_("Keep copies here"), () => void copyAll(editor, addresses, change)], [_("Leave them there")]]);
}

async function copyAll(editor, addresses, change) {
  const said = [];
  editor.say(_("Copying…"));
  editor.dataset.uploading = "";
  for (const address of addresses) {
    try {
      change(address, await copyRemote(address, editor.area.form));
    } catch (error) {
      said.push(_("%(problem)s It stays where it is.", { problem: error.message }));
    }
  }
  delete editor.dataset.uploading;
  editor.say(said.join(" ") || _("The pictures are in the media library now."));
}
