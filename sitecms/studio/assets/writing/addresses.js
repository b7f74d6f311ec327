// What pasted text and addresses are, and what the server makes of them.

import { _ } from "../texts.js";
import { answerOf, copyRemote } from "./upload.js";

const PASTED = "/studio/pasted-address/";
const PICTURE = /\.(avif|gif|jpe?g|png|webp)$/i;
const LIST_ITEM = /^ {0,3}([-*+]|\d{1,3}[.)]) \S/gm;
const SIGNS = [
  /^ {0,3}#{1,6} \S/m, /^ {0,3}(```|~~~)/m, /^ {0,3}> ?\S/m, /^ {0,3}\|?( *:?-{3,}:? *\|)+/m, /^:{3,} ?[a-z]/m, /^ {0,3}[-*+] \[[ x]\] /im,
  /(?:^|\s)(\*\*|__|~~|==)(?=\S)[^\n]*?\S\1/m, /\[[^\]\n]+\]\([^()\s]+[^()\n]*\)/, /(?:^|\s)`[^`\n]+`/m, /^!\[[^\]\n]*\]\(\S/m,
];

/** Return whether plain text has signs of Markdown; one line that begins as an item of a list does may be a sentence. */
export function isMarkdown(text) {
  return SIGNS.some((sign) => sign.test(text)) || (text.match(LIST_ITEM)?.length ?? 0) > 1;
}

/** Return the address of the web that a text is, "" if it is anything else. */
export function addressIn(text) {
  const address = text.trim();
  return /^https?:\/\/[^\s<>"]+$/i.test(address) && URL.canParse(address) ? address : "";
}

/** Return what an address becomes as `{ markdown, html }`: its player, or the card that is asked for; else an object without them. */
export function answerFor(address, area, as = "player") {
  const { value } = area.form.querySelector("[name=form_token]");
  const body = new URLSearchParams({ form_token: value, address, as });
  return answerOf(fetch(PASTED, { method: "POST", body, headers: { Accept: "application/json" } })).catch(({ message }) => ({ problem: message }));
}

/**
 * Put the player of an address in its place; offer a card, or a copy of a picture, for one without. `put` and `putPicture` get
 * what is put there, and return whether the address was still there.
 */
export async function become(editor, address, put, putPicture) {
  const player = await answerFor(address, editor.area);
  if (player.html) return put(player) && editor.say(_("The address is a player now. Ctrl Z makes it a link again."));
  const { host, pathname } = new URL(address);
  const keep = [_("Keep the link")];
  if (PICTURE.test(pathname)) {
    const words = _("Insert the picture from %(host)s?", { host });
    return editor.offer(words, [[_("Insert a copy"), () => void insertCopy(editor, address, putPicture)], keep]);
  }
  return editor.offer(_("Show the page at %(host)s as a card?", { host }), [[_("Make it a card"), () => void makeCard(editor, address, put)], keep]);
}

async function makeCard(editor, address, put) {
  editor.say(_("Reading the page…"));
  const card = await answerFor(address, editor.area, "card");
  if (card.problem) editor.say(_("It stays a link. %(problem)s", { problem: card.problem }));
  else editor.say(put(card) ? _("The address is a card now. Ctrl Z makes it a link again.") : "");
}

async function insertCopy(editor, address, put) {
  editor.say(_("Copying…"));
  try {
    const isPut = put(await copyRemote(address, editor.area.form));
    editor.say(isPut ? _("The picture is in the text and in the media library. Describe it for people who cannot see it.") : "");
  } catch (error) {
    editor.say(_("It stays a link. %(problem)s", { problem: error.message }));
  }
}
