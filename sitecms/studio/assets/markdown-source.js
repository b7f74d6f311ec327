// <markdown-source> around a text area: a toolbar, lists that go on, and pictures by drop and paste.
// What is in the text area is the text, as it is typed. Every change goes through the browser, so that it can be undone.

import { _ } from "./texts.js";
import { iconButton, make, newId, picturesIn, steerToolbar } from "./writing/elements.js";
import { bracketed, escaped, pictureAt } from "./writing/markdown-text.js";
import { afterPause } from "./writing/pauses.js";
import { firstWords, offerCopies, offerGallery, settle } from "./writing/pictures.js";
import { uploadAll } from "./writing/upload.js";

const ITEM = /^(\s*(?:>\s?)*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;
/** A link in a line, which is no picture: its words, and its address with or without angle brackets. */
const LINK = /(?<!!)\[((?:\\.|[^\]\\\n])*)\]\((?:<([^>\n]*)>|([^\s()]*))(?:\s+"[^"\n]*")?\)/g;
const QUOTED = /^(\s*(?:>\s?)+)/;

class MarkdownSource extends HTMLElement {
  connectedCallback() {
    this.area = this.querySelector("textarea");
    if (this.bar || !this.area || this.area.matches(":disabled") || this.area.readOnly) return;
    const tool = (drawing, name, act) => iconButton(drawing, name, () => act.call(this));
    this.bar = make("div", { className: "toolbar", role: "toolbar", ariaLabel: _("Formatting") },
      tool("bold", _("Bold (Ctrl B)"), () => this.wrap("**")), tool("italic", _("Italic (Ctrl I)"), () => this.wrap("*")),
      tool("link", _("Link (Ctrl K)"), this.link), tool("heading", _("Heading"), () => this.lines(/^#{1,6}\s+/, () => "## ")),
      tool("bullets", _("List"), () => this.lines(/^\s*[-*+]\s+/, () => "- ")),
      tool("numbers", _("Numbered list"), () => this.lines(/^\s*\d+[.)]\s+/, (index) => `${index + 1}. `)),
      tool("quote", _("Quotation"), () => this.lines(/^>\s?/, () => "> ")), tool("code", _("Code"), this.code),
      tool("picture", _("Picture"), this.picture), tool("plus", _("Insert or change a block"), this.block));
    this.state = make("p", { className: "meta", role: "status" });
    steerToolbar(this.bar, () => this.area.focus());
    this.prepend(this.bar);
    this.append(make("div", { className: "below" }, this.state));
    this.area.addEventListener("keydown", (event) => this.pressed(event));
    this.area.addEventListener("paste", (event) => this.take(event, event.clipboardData));
    this.area.addEventListener("drop", (event) => this.take(event, event.dataTransfer));
    document.querySelector(`[data-instead="${CSS.escape(this.area.id)}"]`)?.remove();
  }

  /** Replace a part of the text as typing would, and select a part of what is new. */
  replace(from, to, text, selected = [text.length, text.length]) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const isDone = text ? document.execCommand("insertText", false, text) : from === to || document.execCommand("delete");
    if (!isDone) {
      this.area.setRangeText(text, from, to, "end");
      this.area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    this.area.setSelectionRange(from + selected[0], from + selected[1]);
  }

  get selected() {
    const { selectionStart: from, selectionEnd: to, value } = this.area;
    return { from, to, value, text: value.slice(from, to) };
  }

  /** Put signs around the selected words, or take them away. */
  wrap(sign) {
    const { from, to, value, text } = this.selected;
    const size = sign.length;
    const runs = (at, by) => {
      let length = 0;
      while (value[at + by * length] === sign[0]) length += 1;
      return length;
    };
    const has = (length) => length >= size && (size === 2 || length !== 2);
    if (has(runs(from - 1, -1)) && has(runs(to, 1))) {
      this.replace(from - size, to + size, text, [0, text.length]);
      return;
    }
    const words = text.trim();
    const [before, after] = words ? text.split(words, 2) : ["", ""];
    const lead = words ? text.slice(0, text.indexOf(words)) : before;
    const trail = words ? text.slice(lead.length + words.length) : after;
    this.replace(from, to, `${lead}${sign}${words}${sign}${trail}`, [lead.length + size, lead.length + size + words.length]);
  }

  /** Begin each selected line with signs, or take them away if all have them. */
  lines(pattern, sign) {
    const { from, to, value } = this.selected;
    const start = value.lastIndexOf("\n", from - 1) + 1;
    const next = value.indexOf("\n", to > from && value[to - 1] === "\n" ? to - 1 : to);
    const end = next < 0 ? value.length : next;
    const old = value.slice(start, end).split("\n");
    const filled = old.filter((line) => line.trim());
    const hasAll = filled.length > 0 && filled.every((line) => pattern.test(line));
    let index = -1;
    const changed = old.map((line) => {
      if (!line.trim() && old.length > 1) return line;
      index += 1;
      const rest = line.replace(pattern, "").replace(hasAll ? "" : ITEM, "$1");
      return hasAll ? line.replace(pattern, "") : sign(index) + rest;
    });
    const text = changed.join("\n");
    this.replace(start, end, text, old.length > 1 ? [0, text.length] : undefined);
  }

  code() {
    const { from, to, value, text } = this.selected;
    if (!text.includes("\n")) return this.wrap("`");
    const before = from > 0 && value[from - 1] !== "\n" ? "\n" : "";
    const inner = text.endsWith("\n") ? text : `${text}\n`;
    return this.replace(from, to, `${before}\`\`\`\n${inner}\`\`\`\n`, [before.length + 3, before.length + 3]);
  }

  async link() {
    const { from, to, value, text } = this.selected;
    const dialog = await import("./writing/link-dialog.js").catch(() => null);
    if (!dialog) return this.say(_("The server cannot be reached; try again soon."));
    const old = [...value.matchAll(LINK)].find(({ index, 0: all }) => index <= from && index + all.length >= to);
    const [all, words, angled, plain] = old ?? [];
    const asked = old ? words.replace(/\\(.)/g, "$1") : text.includes("\n") ? "" : text;
    const answer = await dialog.askLink(this.area, { address: angled ?? plain ?? "", text: asked, isMarkdown: true });
    if (!answer) return this.area.focus();
    const range = old ? [old.index, old.index + all.length] : [from, to];
    return this.replace(...range, answer.address ? `[${escaped(answer.text)}](${bracketed(answer.address)})` : answer.text);
  }

  async picture() {
    const pictures = await import("./writing/markdown-pictures.js").catch(() => null);
    if (pictures) await pictures.editPicture(this);
    else this.say(_("The server cannot be reached; try again soon."));
  }

  /** Change the directive in whose first line the cursor is, or insert a block. */
  async block() {
    const { blockIn } = await import("./writing/block-source.js");
    const change = await blockIn(this.area).catch((error) => ({ problem: error.message }));
    if (change?.problem) this.state.textContent = change.problem;
    if (!change?.text) return this.area.focus();
    const { from, to, text, selected } = change;
    return change.isNew ? this.insertBlock(from, to, text, selected) : this.replace(from, to, text, selected);
  }

  /** Insert a block with an empty line before and after it. */
  insertBlock(from, to, block, selected = null) {
    const { value } = this.area;
    const before = value.slice(0, from);
    const after = value.slice(to);
    const lead = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
    const trail = after.startsWith("\n\n") ? "" : after.startsWith("\n") ? "\n" : "\n\n";
    const text = `${lead}${block}${trail}`;
    this.replace(from, to, text, selected?.map((at) => lead.length + at));
  }

  take(event, transfer) {
    const files = picturesIn(transfer);
    const [html, text] = ["text/html", "text/plain"].map((type) => transfer?.getData(type) ?? "");
    const hasPictures = /<img\b/i.test(html);
    const isAddress = !hasPictures && event.type === "paste" && /^\s*https?:\/\/\S+\s*$/i.test(text);
    if (!files.length && !hasPictures && !isAddress) return;
    event.preventDefault();
    if (files.length) void this.insertFiles(files);
    else if (isAddress) void this.insertAddress(text.trim());
    else void this.insertPasted(html, text);
  }

  say(text) {
    this.state.textContent = text;
  }

  /** Offer something about what was pasted, in a bar below the toolbar. */
  offer(text, choices) {
    import("./writing/offers.js").then(({ offer }) => offer(this.bar, text, choices, () => this.area.focus()), () => {});
  }

  /** Make selected words a link to a pasted address; else insert it, and see what it may become in a line of its own. */
  async insertAddress(address) {
    const { from, to, value, text } = this.selected;
    if (text.trim() && !text.includes("\n")) return this.replace(from, to, `[${escaped(text)}](${bracketed(address)})`);
    const isAlone = /(^|\n[ \t]*)$/.test(value.slice(0, from)) && /^[ \t]*(\n|$)/.test(value.slice(to));
    this.replace(from, to, address);
    const taking = isAlone && (await import("./writing/addresses.js").catch(() => null));
    if (!taking) return undefined;
    const put = (block) => this.replaceAddress(address, from, block);
    return taking.become(this, address, ({ markdown }) => put(markdown), ({ url, alt }) => put(pictureAt(url, alt)));
  }

  /** Put a block in the place of an address that still stands where it was inserted, or elsewhere in a line of its own. */
  replaceAddress(address, from, block) {
    const { value } = this.area;
    const lines = [...value.matchAll(/^[ \t]*(\S+)[ \t]*$/gm)].filter(([, word]) => word === address);
    const at = lines.find(({ index }) => index === from) ?? lines[0];
    if (at) this.insertBlock(at.index, at.index + at[0].length, block);
    return Boolean(at);
  }

  /** Insert text that has pictures, upload those that have bytes, and say what became of the others. */
  async insertPasted(html, plain) {
    const { from, to } = this.selected;
    const taking = await import("./writing/pasted-text.js").catch(() => null);
    if (!taking) {
      this.replace(from, to, plain);
      return;
    }
    const pasted = new taking.PastedPictures();
    this.replace(from, to, taking.pastedText(html, pasted, pictureAt));
    this.dataset.uploading = "";
    const change = (address, stored) => this.changePicture(address, stored);
    const said = await settle(pasted, this.area.form, (words) => this.say(words), change);
    delete this.dataset.uploading;
    this.say(said);
    offerCopies(this, pasted.remote, change);
  }

  /** Put a stored picture in the place of the one at an address; remove it for null. */
  changePicture(address, stored) {
    const { from: start, to: end, value } = this.selected;
    const closing = value.indexOf(`](${address})`);
    if (closing < 0) return; // it was deleted meanwhile
    const at = value.lastIndexOf("![", closing);
    const length = closing + address.length + 3 - at;
    const alt = value.slice(at + 2, closing) || escaped(stored?.alt ?? "");
    const written = stored ? `![${alt}](${bracketed(stored.url)})` : "";
    this.replace(at, at + length, written);
    const moved = (position) => (position > at ? Math.max(at, position + written.length - length) : position);
    this.area.setSelectionRange(moved(start), moved(end));
  }

  /** Upload pictures, and insert each at the cursor; what is typed meanwhile stays where it is. Several may become a gallery. */
  async insertFiles(files) {
    const addresses = [];
    const problems = await uploadAll(files, this.area.form, (text) => this.say(text), (stored, file) => {
      const alt = escaped(firstWords(stored, file));
      const { to } = this.selected;
      addresses.push(bracketed(stored.url));
      this.insertBlock(to, to, `![${alt}](${addresses.at(-1)})`, files.length === 1 ? [2, 2 + alt.length] : null);
    });
    this.say(problems.join(" ") || _("The picture is inserted. Its description, for people who cannot see it, stands in the square brackets."));
    if (addresses.length > 1) offerGallery(this, () => this.makeGallery(addresses));
  }

  /** Put a gallery around pictures that stand one below the other. */
  makeGallery(addresses) {
    const { value } = this.area;
    const pictures = addresses.map((each) => `!\\[(?:\\\\.|[^\\]\\\\])*\\]\\(${each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\)`);
    const found = new RegExp(pictures.join("\\s+")).exec(value);
    if (!found) return this.say(_("The pictures stay as they are: the text was changed meanwhile."));
    return this.replace(found.index, found.index + found[0].length, `::: gallery\n${found[0].replace(/\n\s*\n/g, "\n")}\n:::`);
  }

  pressed(event) {
    if (event.defaultPrevented) return;
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const act = { b: () => this.wrap("**"), i: () => this.wrap("*"), k: () => void this.link() }[event.key.toLowerCase()];
    if (isCommand && act) {
      event.preventDefault();
      act();
    } else if (event.key === "F10" && event.altKey) {
      event.preventDefault();
      this.bar.querySelector("[tabindex='0']").focus();
    } else if (event.key === "Enter" && !event.shiftKey && !isCommand && !event.isComposing) this.goOn(event);
  }

  /** Begin the next item of a list or line of a quotation; end the list or quotation where the line is empty. */
  goOn(event) {
    const { from, to, value } = this.selected;
    const start = value.lastIndexOf("\n", from - 1) + 1;
    const line = value.slice(start, from);
    const found = ITEM.exec(line) ?? QUOTED.exec(line);
    if (from !== to || !found || (value.slice(0, start).match(/^(```|~~~)/gm)?.length ?? 0) % 2) return;
    event.preventDefault();
    const [sign, lead, bullet, number, point, space, box] = found;
    const rest = value.slice(from).split("\n", 1)[0];
    if (line.length === sign.length && !rest.trim()) {
      this.replace(start, from, start > 1 && value[start - 2] !== "\n" ? "\n" : ""); // without a gap the item would go on
      return;
    }
    const next = bullet ?? (number ? `${Number(number) + 1}${point}` : "");
    this.replace(from, from, `\n${lead}${next}${space ?? ""}${box ? box.replace(/[xX]/, " ") : ""}`);
  }
}

customElements.define("markdown-source", MarkdownSource);
