// <rich-text> around a text area: the same text as it looks. The text area stays the field of the form, and holds what
// is saved; blocks that nobody changed keep their bytes in it.

import {
  dropCursor, EditorState, EditorView, gapCursor, history, Plugin, tableEditing, TextSelection,
} from "./vendor/prosemirror.js";
import { blockTools } from "./writing/block-tools.js";
import { OpenedText } from "./writing/blocks.js";
import {
  cursorOfPage, ghosts, insertBlock, keys, newTable, paragraphsOutside, typedSigns,
} from "./writing/commands.js";
import { make, newId, picturesIn } from "./writing/elements.js";
import { cut, normalized } from "./writing/html.js";
import { afterPause } from "./writing/pauses.js";
import { pasteParser, schema } from "./writing/schema.js";
import { Toolbar } from "./writing/toolbar.js";
import { DirectiveView, OpaqueInlineView, OpaqueView, PictureView } from "./writing/views.js";
import { _ } from "./texts.js";

const QUIET_MS = 200;
const MOST_MS = 600;
const TOOLBAR_MS = 80;
const HELP = _("A slash in an empty paragraph opens the list of blocks. Esc or Alt F10 leads to the toolbar. Tab leads on, and within a table to the next cell.");

/** Load what is not needed before it is used. */
async function loaded(load) {
  try {
    return await load();
  } catch {
    throw new Error(_("The server cannot be reached; try again soon."));
  }
}

const pasting = () => loaded(() => import("./writing/pasting.js"));

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
    this.back = make("button", { type: "button", hidden: true }, _("Back to formatted text"));
    this.back.addEventListener("click", () => this.showFormatted());
    this.prepend(this.frame, this.help);
    this.append(make("p", { className: "buttons small" }, this.back), this.state);
    // What pastes is there before something is pasted, so that nothing typed meanwhile gets before it.
    this.addEventListener("focusin", () => void pasting().then((loaded) => { this.pasting = loaded; }, () => {}), { once: true });
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
      nodeViews: {
        opaque: (...parts) => new OpaqueView(...parts),
        directive: (...parts) => new DirectiveView(...parts),
        opaque_inline: (node) => new OpaqueInlineView(node),
        picture: (...parts) => new PictureView(...parts),
      },
      handleDoubleClickOn: (_view, _position, node) => node.type === schema.nodes.image && (this.acts.picture(), true),
    });
    this.toolbar.update(this.view);
  }

  plugins() {
    return [
      cursorOfPage(), this.places = this.pastes(), blockTools(this.acts), typedSigns(), ...keys(this.acts), history(), dropCursor({ color: false, class: "drop-cursor" }), gapCursor(), tableEditing(),
      paragraphsOutside(), ghosts(), new Plugin({ view: () => ({ update: (view, before) => this.updated(view, before) }) }),
    ];
  }

  /** Return the plugin that takes what is pasted and dropped, and keeps the places of what may become something else. */
  pastes() {
    const places = new Plugin({
      state: {
        init: () => [],
        apply(tr, old) {
          const { id, range } = tr.getMeta(places) ?? {};
          const moved = old.filter((each) => each.id !== id).map((each) => ({ id: each.id, from: tr.mapping.map(each.from, 1), to: tr.mapping.map(each.to, -1) }));
          return range ? [...moved, { id, ...range }] : moved;
        },
      },
      props: {
        handleDOMEvents: {
          keydown: (_view, { shiftKey }) => { this.isShifted = shiftKey; },
          keyup: (_view, { shiftKey }) => { this.isShifted = shiftKey; },
          paste: (_view, event) => this.take(event, event.clipboardData, this.isShifted),
          drop: (view, event) => !view.dragging && this.take(event, event.dataTransfer, false, view.posAtCoords({ left: event.clientX, top: event.clientY })),
        },
      },
    });
    return places;
  }

  /** Keep the place of a range while the text changes, and return its id. */
  keepPlace(from, to) {
    this.count = (this.count ?? 0) + 1;
    this.view.dispatch(this.view.state.tr.setMeta(this.places, { id: this.count, range: { from, to } }));
    return this.count;
  }

  /** Return the range of a place now, undefined if nothing is left of it. */
  placeOf(id) {
    return this.places.getState(this.view.state)?.find((each) => each.id === id && each.from < each.to);
  }

  forgetPlace(id) {
    this.view.dispatch(this.view.state.tr.setMeta(this.places, { id }));
  }

  /** Take pictures, HTML or text that is pasted, or dropped at a place: its position, and that of the node it is inside of. */
  take(event, transfer, isPlain, place = null) {
    const files = picturesIn(transfer);
    const [html, text] = ["text/html", "text/plain"].map((type) => transfer?.getData(type) ?? "");
    if (!files.length && !html && !text) return false;
    event.preventDefault();
    const { state } = this.view;
    if (place) this.view.dispatch(state.tr.setSelection(TextSelection.near(state.doc.resolve(place.pos))));
    const target = place && place.inside >= 0 ? state.doc.nodeAt(place.inside) : null;
    const act = (loaded) => (files.length ? loaded.insertFiles(this, files, target) : loaded.paste(this, { html, text, isPlain }));
    if (this.pasting) void act(this.pasting);
    else pasting().then(act, ({ message }) => (text ? this.view.pasteText(text) : this.say(message)));
    return true;
  }

  /** Offer something about what was pasted, in a bar below the toolbar. */
  offer(text, choices) {
    import("./writing/offers.js").then(({ offer }) => offer(this.toolbar.cells, text, choices, () => this.view.focus()), () => {});
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

  link() {
    return this.use(() => import("./writing/links.js"), ({ editLink }) => editLink(this));
  }

  /** Load what is not needed before it is used, and use it. */
  async use(load, act) {
    try {
      await act(await loaded(load));
    } catch (error) {
      this.say(error.message);
    }
  }

  picture() {
    return this.use(() => import("./writing/figures.js"), ({ editPicture }) => editPicture(this));
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
