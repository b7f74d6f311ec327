// The toolbar of rich text: styles and marks of what is selected, and what can be inserted.

import {
  addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable, isInTable, liftListItem, redo, sinkListItem, toggleHeaderRow,
  toggleMark, undo,
} from "../vendor/prosemirror.js";
import { around, linkAt, setStyle, styleOf, toggleList, toggleQuote } from "./commands.js";
import { iconButton, make, steerToolbar } from "./elements.js";
import { schema } from "./schema.js";
import { _ } from "../texts.js";

const { nodes, marks } = schema;
const STYLES = [["paragraph", _("Paragraph")], ["h2", _("Heading 2")], ["h3", _("Heading 3")], ["h4", _("Heading 4")], ["code", _("Code")]];

function hasMark(state, mark) {
  const { from, to, empty, $from } = state.selection;
  return empty ? Boolean(mark.isInSet(state.storedMarks ?? $from.marks())) : state.doc.rangeHasMark(from, to, mark);
}

/** The toolbar of one editor. `acts` are functions of the editor that ask something. */
export class Toolbar {
  constructor(acts) {
    this.acts = acts;
    this.tools = [];
    this.style = make("select", { ariaLabel: _("Style of the paragraph"), title: _("Style of the paragraph") });
    this.style.append(...STYLES.map(([value, text]) => make("option", { value }, text)), make("option", { value: "", hidden: true }, "—"));
    // Chosen with the mouse, or by Enter, writing goes on; the arrow keys that choose a style go on choosing.
    let isPointed = false;
    this.style.addEventListener("pointerdown", () => (isPointed = true));
    this.style.addEventListener("keydown", (event) => {
      isPointed = false;
      if (event.key === "Enter") event.preventDefault(), this.view.focus();
    });
    this.style.addEventListener("change", () => {
      this.run(setStyle(this.style.value));
      if (!isPointed) this.style.focus();
    });
    this.language = make("input", { className: "language", ariaLabel: _("Language of the code"), placeholder: _("Language"), size: 9, autocomplete: "off", spellcheck: false, hidden: true });
    this.language.addEventListener("change", () => this.setLanguage());
    this.language.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), this.setLanguage(), this.view.focus()));
    const is = (...types) => (state) => Boolean(around(state, ...types));
    const item = nodes.list_item;
    this.dom = make("div", { className: "toolbar", role: "toolbar", ariaLabel: _("Formatting") },
      this.style, this.language,
      this.tool("bold", _("Bold (Ctrl B)"), toggleMark(marks.strong), (state) => hasMark(state, marks.strong)),
      this.tool("italic", _("Italic (Ctrl I)"), toggleMark(marks.em), (state) => hasMark(state, marks.em)),
      this.tool("code", _("Code in the line (Ctrl `)"), toggleMark(marks.code), (state) => hasMark(state, marks.code)),
      this.act("link", _("Link (Ctrl K)"), acts.link, (state) => linkAt(state) !== null),
      this.tool("bullets", _("List"), toggleList(nodes.bullet_list), is(nodes.bullet_list)),
      this.tool("numbers", _("Numbered list"), toggleList(nodes.ordered_list), is(nodes.ordered_list)),
      this.tool("outdent", _("Less indented (Ctrl [)"), liftListItem(item), null, is(item)),
      this.tool("indent", _("More indented (Ctrl ])"), sinkListItem(item), null, is(item)),
      this.tool("quote", _("Quotation"), toggleQuote, is(nodes.blockquote)),
      this.act("picture", _("Picture"), acts.picture, (state) => Boolean(state.selection.node?.type === nodes.image || around(state, nodes.figure))),
      this.act("table", _("Table"), acts.table, is(nodes.table)),
      this.act("plus", _("Insert a block (type / in an empty paragraph)"), () => acts.blocks()),
      this.tool("undo", _("Undo (Ctrl Z)"), undo),
      this.tool("redo", _("Redo (Ctrl Y)"), redo),
      this.act("source", _("HTML source"), acts.source),
    );
    this.cells = make("div", { className: "toolbar cells", role: "toolbar", ariaLabel: _("Table cells"), hidden: true },
      ...[[_("Add row"), addRowAfter], [_("Add column"), addColumnAfter], [_("Head"), toggleHeaderRow], [_("Delete row"), deleteRow],
        [_("Delete column"), deleteColumn], [_("Delete table"), deleteTable]].map(([text, command]) => {
        const button = make("button", { type: "button", className: "tool words" }, text);
        button.addEventListener("click", () => this.run(command));
        return button;
      }));
    this.steer = [this.dom, this.cells].map((bar) => steerToolbar(bar, () => this.view.focus()));
  }

  tool(drawing, label, command, isOn = null, isShown = null) {
    const button = iconButton(drawing, label, () => this.run(command));
    this.tools.push({ button, command, isOn, isShown });
    return button;
  }

  act(drawing, label, act, isOn = null) {
    const button = iconButton(drawing, label, act);
    this.tools.push({ button, isOn });
    return button;
  }

  run(command) {
    command(this.view.state, this.view.dispatch);
    this.view.focus();
  }

  /** Give the block of code with the cursor the language that is typed. */
  setLanguage() {
    const { state, dispatch } = this.view;
    const block = around(state, nodes.code_block);
    if (!block) return;
    const { class: _old, ...rest } = block.node.attrs.code ?? {};
    const language = this.language.value.trim().toLowerCase().replace(/[^\w+#.-]/g, "");
    const code = language ? { ...rest, class: `language-${language}` } : rest;
    dispatch(state.tr.setNodeMarkup(block.position, null, { ...block.node.attrs, code: Object.keys(code).length ? code : null }));
  }

  /** Show the state of the editor. */
  update(view) {
    this.view = view;
    const { state } = view;
    const style = styleOf(state);
    if (/^h[156]$/.test(style) && ![...this.style.options].some(({ value }) => value === style)) {
      this.style.add(make("option", { value: style }, _("Heading %(level)s", { level: style.slice(1) })));
    }
    if (this.style.value !== style) this.style.value = style;
    const code = around(state, nodes.code_block);
    this.language.hidden = !code;
    if (document.activeElement !== this.language) this.language.value = /\blanguage-(\S+)/.exec(code?.node.attrs.code?.class)?.[1] ?? "";
    let isChanged = false;
    for (const { button, command, isOn, isShown } of this.tools) {
      const isDisabled = Boolean(command && !command(state));
      const isHidden = Boolean(isShown && !isShown(state));
      isChanged ||= button.disabled !== isDisabled || button.hidden !== isHidden;
      if (button.disabled !== isDisabled) button.disabled = isDisabled;
      if (button.hidden !== isHidden) button.hidden = isHidden;
      if (isOn && button.getAttribute("aria-pressed") !== `${isOn(state)}`) button.setAttribute("aria-pressed", isOn(state));
    }
    const isHidden = !isInTable(state);
    isChanged ||= this.cells.hidden !== isHidden;
    if (this.cells.hidden !== isHidden) this.cells.hidden = isHidden;
    if (isChanged) for (const steer of this.steer) steer();
  }
}
