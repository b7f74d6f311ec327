// <rich-text> around a text area: the same text as it looks. The text area stays the field of the form, and holds what
// is saved; blocks that nobody changed keep their bytes in it.

import {
  closeHistory, dropCursor, EditorState, EditorView, gapCursor, history, Plugin, tableEditing, TextSelection,
} from "./vendor/prosemirror.js";
import { blockTools } from "./writing/block-tools.js";
import { OpenedText } from "./writing/blocks.js";
import {
  around, cursorOfPage, ghosts, insertBlock, keys, linkAt, linkPasted, newFigure, newTable, paragraphsOutside, typedSigns,
} from "./writing/commands.js";
import { make, newId, picturesIn } from "./writing/elements.js";
import { cut, normalized } from "./writing/html.js";
import { cleanPasted, PastedPictures } from "./writing/paste.js";
import { afterPause } from "./writing/pauses.js";
import { pasteParser, schema } from "./writing/schema.js";
import { Toolbar } from "./writing/toolbar.js";
import { DirectiveView, OpaqueInlineView, OpaqueView, PictureView } from "./writing/views.js";

const QUIET_MS = 200;
const MOST_MS = 600;
const TOOLBAR_MS = 80;
const HELP = "A slash in an empty paragraph opens the list of blocks. Esc or Alt F10 leads to the toolbar. Tab leads on, and within a table to the next cell.";

/** Load what chooses and uploads pictures, which a text without new ones does not need. */
async function pictures() {
  try {
    return await import("./writing/pictures.js");
  } catch {
    throw new Error("The server cannot be reached; try again soon.");
  }
}

class RichText extends HTMLElement {
  connectedCallback() {
    this.area = this.querySelector("textarea");
    if (this.view || !this.area || this.area.matches(":disabled") || this.area.readOnly) return;
    this.label = this.area.labels[0];
    this.label.id ||= newId("label");
    this.state = make("p", { className: "meta", role: "status" });
    this.isWritten = true;
    this.writeSoon = afterPause(() => this.write(), QUIET_MS, MOST_MS);
    this.showTools = afterPause(() => this.toolbar.update(this.view), TOOLBAR_MS, MOST_MS);
    this.acts = {
      link: () => void this.link(), picture: () => void this.picture(), source: () => this.showSource(),
      table: () => this.run(insertBlock(newTable(3, 3), "start")),
      rule: () => this.run(insertBlock(schema.nodes.horizontal_rule.create())),
      toToolbar: () => this.toolbar.dom.querySelector("[tabindex='0']").focus(),
    };
    this.toolbar = new Toolbar(this.acts);
    this.help = make("p", { className: "hidden", id: newId("keys") }, HELP);
    this.frame = make("div", { className: "rich-frame" }, make("div", { className: "bars" }, this.toolbar.dom, this.toolbar.cells));
    this.back = make("button", { type: "button", hidden: true }, "Back to formatted text");
    this.back.addEventListener("click", () => this.showFormatted());
    this.prepend(this.frame, this.help);
    this.remote = [];
    this.copies = make("button", { type: "button", hidden: true }, "Keep copies here");
    this.copies.addEventListener("click", () => this.copyRemote());
    this.append(make("p", { className: "buttons small" }, this.back, this.copies), this.state);
    this.open();
    this.area.hidden = true;
    document.querySelector(`[data-instead="${CSS.escape(this.area.id)}"]`)?.remove();
    this.label.addEventListener("click", () => this.area.hidden && this.view.focus());
    this.area.form.addEventListener("formdata", (event) => this.fill(event.formData));
    this.area.form.addEventListener("submit", () => this.write());
    addEventListener("pagehide", () => this.write());
    for (const each of document.querySelectorAll(`a[href="#${CSS.escape(this.area.id)}"]`)) {
      each.addEventListener("click", () => this.area.hidden && this.view.focus());
    }
  }

  /** Show the text of the text area. */
  open() {
    this.opened = new OpenedText(this.area.value);
    this.view?.destroy();
    const described = [this.help.id, this.area.getAttribute("aria-describedby")].filter(Boolean).join(" ");
    const attributes = {
      role: "textbox", "aria-multiline": "true", "aria-labelledby": this.label.id, "aria-describedby": described, class: "prose",
      ...(this.area.lang && { lang: this.area.lang }), ...(this.area.getAttribute("aria-invalid") && { "aria-invalid": "true" }),
    };
    this.view = new EditorView({ mount: this.frame.appendChild(make("div")) }, {
      state: EditorState.create({ doc: this.opened.doc, plugins: this.plugins() }),
      attributes,
      clipboardParser: pasteParser,
      transformPastedHTML: (html) => this.cleaned(html),
      nodeViews: {
        opaque: (...parts) => new OpaqueView(...parts),
        directive: (...parts) => new DirectiveView(...parts),
        opaque_inline: (node) => new OpaqueInlineView(node),
        picture: (...parts) => new PictureView(...parts),
      },
      handlePaste: (view, event) => this.takeFiles(event.clipboardData) || linkPasted(view, event.clipboardData),
      handleDrop: (view, event) => this.takeFiles(event.dataTransfer, view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos),
      handleDoubleClickOn: (_view, _position, node) => node.type === schema.nodes.image && (this.acts.picture(), true),
    });
    this.toolbar.update(this.view);
  }

  plugins() {
    return [
      cursorOfPage(), blockTools(this.acts), typedSigns(), ...keys(this.acts), history(), dropCursor({ color: false, class: "drop-cursor" }), gapCursor(), tableEditing(),
      paragraphsOutside(), ghosts(), new Plugin({ view: () => ({ update: (view, before) => this.updated(view, before) }) }),
    ];
  }

  updated(view, before) {
    this.showTools();
    if (view.state.doc.eq(before.doc)) return;
    this.isWritten = false;
    this.writeSoon();
  }

  /** Put the document into the text area, and say so as typing in it would. */
  write() {
    if (this.isWritten) return;
    this.isWritten = true;
    const html = this.opened.write(this.view.state.doc);
    if (html === this.area.value) return;
    this.area.value = html;
    this.area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Give the fields of the form what is typed up to now. */
  fill(fields) {
    if (!this.isWritten && fields.has(this.area.name)) fields.set(this.area.name, this.opened.write(this.view.state.doc));
  }

  run(command) {
    command(this.view.state, this.view.dispatch);
    this.view.focus();
  }

  say(text) {
    this.state.textContent = text;
  }

  async link() {
    const { state } = this.view;
    const { marks } = schema;
    const found = linkAt(state);
    const { from, to, empty } = state.selection;
    const { askLink } = await import("./writing/dialogs.js");
    const answer = await askLink({ address: found?.attributes.href ?? "", text: empty && !found ? "" : null });
    this.view.focus();
    if (!answer) return;
    const { tr } = this.view.state;
    const range = found ?? { from, to };
    if (empty && !found && answer.address) {
      tr.insertText(answer.text, from);
      range.to = from + answer.text.length;
    }
    tr.removeMark(range.from, range.to, marks.link);
    const attributes = { ...found?.attributes, href: answer.address };
    if (answer.address) tr.addMark(range.from, range.to, marks.link.create({ attributes }));
    this.view.dispatch(tr.removeStoredMark(marks.link));
  }

  async picture() {
    const { state } = this.view;
    const figure = around(state, schema.nodes.figure);
    const image = state.selection.node?.type === schema.nodes.image ? state.selection.node : null;
    const old = image ?? figure?.node.firstChild;
    const { src = "", alt = "" } = old?.attrs.attributes ?? {};
    const caption = image || figure ? null : "";
    const answer = await pictures().then(
      ({ askPicture }) => askPicture(this.area.form, { url: src, alt, caption }),
      (error) => this.say(error.message),
    );
    this.view.focus();
    if (!answer) return;
    if (!old) return this.run(insertBlock(newFigure(answer), "end"));
    const { width, height, srcset, sizes, ...rest } = old.attrs.attributes;
    const attributes = { ...(answer.url === src ? old.attrs.attributes : rest), src: answer.url, alt: answer.alt };
    const at = image ? state.selection.from : figure.position + 1;
    this.view.dispatch(this.view.state.tr.setNodeMarkup(at, null, { attributes }));
    return undefined;
  }

  /** Upload dropped or pasted pictures, and insert them where they were dropped. */
  takeFiles(transfer, position = null) {
    const files = picturesIn(transfer);
    if (!files.length) return false;
    void this.insertFiles(files, position);
    return true;
  }

  /** Return pasted HTML for the text; what has to be done about its pictures follows once they are in the text. */
  cleaned(html) {
    const pictures = new PastedPictures();
    const clean = cleanPasted(html, pictures);
    setTimeout(() => this.settlePasted(pictures));
    return clean;
  }

  /** Upload the pasted pictures that have bytes, and say what became of the others. */
  async settlePasted(pasted) {
    const { files, lost, remote } = pasted;
    if (!files.size && !lost.length && !remote.length) return;
    this.dataset.uploading = "";
    const change = (address, stored) => this.changePictures(address, stored);
    const said = await pictures().then(({ settle }) => settle(pasted, this.area.form, (text) => this.say(text), change))
      .catch(({ message }) => {
        for (const address of files.keys()) change(address, null);
        return message;
      });
    delete this.dataset.uploading;
    if (remote.length) {
      this.remote.push(...remote);
      this.copies.hidden = false;
    }
    if (said) this.say(said);
  }

  /** Put copies in the library in the place of pictures that stay on other hosts. */
  async copyRemote() {
    const addresses = [...new Set(this.remote.splice(0))];
    const said = [];
    this.copies.hidden = true;
    this.say("Copying…");
    this.dataset.uploading = "";
    for (const address of addresses) {
      try {
        const { copyRemote } = await pictures();
        this.changePictures(address, await copyRemote(address, this.area.form));
      } catch (error) {
        said.push(`${error.message} It stays where it is.`);
      }
    }
    delete this.dataset.uploading;
    this.say(said.join(" ") || "The pictures are in the media library now.");
    this.view.focus();
  }

  /** Put a stored file in the place of all pictures of an address; remove them for null. An undo does not bring it back. */
  changePictures(address, stored) {
    const { tr, doc } = this.view.state;
    const found = [];
    doc.descendants((node, position) => {
      if (node.attrs.attributes?.src === address) found.push([node, position]);
    });
    for (const [node, position] of found.reverse()) {
      const old = node.attrs.attributes;
      const attributes = { ...old, src: stored?.url, alt: old.alt || stored?.alt };
      if (stored) tr.setNodeMarkup(position, null, { ...node.attrs, attributes });
      else tr.delete(position, position + node.nodeSize);
    }
    if (found.length) this.view.dispatch(tr.setMeta("addToHistory", false));
  }

  async insertFiles(files, position) {
    if (position !== null) {
      const { state } = this.view;
      this.view.dispatch(state.tr.setSelection(state.selection.constructor.near(state.doc.resolve(position))));
    }
    let count = 0;
    for (const file of files) {
      try {
        const { firstWords, upload, uploading } = await pictures();
        this.say(uploading(file, 0));
        const stored = await upload(file, this.area.form, (part) => this.say(uploading(file, part)));
        this.view.dispatch(closeHistory(this.view.state.tr));
        insertBlock(newFigure({ url: stored.url, alt: firstWords(stored, file) }), "end")(this.view.state, this.view.dispatch);
        count += 1;
      } catch (error) {
        this.say(error.message);
        return;
      }
    }
    this.say(count === 1 ? "The picture is inserted. Describe it for people who cannot see it." : `${count} pictures are inserted. Describe them for people who cannot see them.`);
  }

  /** Select words in the text, and return whether it has them. The preview leads here. */
  select(words) {
    if (!this.view || !this.area.hidden) return false;
    let range = null;
    this.view.state.doc.descendants((node, position) => {
      if (range || !node.isTextblock) return !range;
      const at = node.textBetween(0, node.content.size, null, "\ufffc").indexOf(words);
      if (at >= 0) range = [position + 1 + at, position + 1 + at + words.length];
      return false;
    });
    if (!range) return false;
    const { tr } = this.view.state;
    this.view.dispatch(tr.setSelection(TextSelection.create(tr.doc, ...range)).scrollIntoView());
    this.view.focus();
    return true;
  }

  showSource() {
    this.write();
    this.frame.hidden = true;
    this.area.hidden = false;
    this.back.hidden = false;
    this.area.focus();
  }

  /** Show the source as it looks; what is not written as the server writes it is written anew, as saving would do. */
  showFormatted() {
    if (this.area.value !== this.opened.html && !cut(this.area.value)) {
      this.area.value = normalized(this.area.value);
      this.area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    this.frame.hidden = false;
    this.area.hidden = true;
    this.back.hidden = true;
    if (this.area.value !== this.opened.write(this.view.state.doc)) this.open();
    this.view.focus();
  }
}

customElements.define("rich-text", RichText);
