// Notes on words of an entry: the selected words go into a new note, and those of a note are selected in the text. Words
// are found by their letters and digits, whatever their markup and spaces. `entry-page.js` loads this when it is needed.

const TEXTS = ".text textarea, .text [contenteditable=true], .side #summary";
const form = document.querySelector("form.editor");

/** Return the letters and digits of a text, and the place of each. */
function letters(text) {
  const places = [];
  let plain = "";
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    plain += letter;
    places.push(...Array(letter.length).fill(index));
  }
  return { plain, places };
}

/** Return begin and end of words in a text, or null. */
function placeOf(words, text) {
  const wanted = letters(words).plain;
  const { plain, places } = letters(text);
  const start = wanted ? plain.indexOf(wanted) : -1;
  if (start < 0) return null;
  const last = places[start + wanted.length - 1];
  return [places[start], last + String.fromCodePoint(text.codePointAt(last)).length];
}

/** Return the words that are selected in the text, "" for none. */
function selectedWords() {
  const selection = getSelection();
  const anchor = selection.anchorNode?.parentElement;
  if (!selection.isCollapsed && anchor?.closest(".text")) return selection.toString().trim();
  const areas = [...form.querySelectorAll(TEXTS)].filter((each) => each.matches("textarea"));
  const area = areas.find((each) => each.selectionStart < each.selectionEnd);
  return area ? area.value.slice(area.selectionStart, area.selectionEnd).trim() : "";
}

/** Begin a note on the selected words; the panel opens for it. */
export function beginNote(panel) {
  const { quote, note } = form.elements;
  const words = selectedWords();
  if (words) quote.value = words.slice(0, quote.maxLength);
  panel.reveal(note);
}

/** Select words in the text, and lead there; a panel that lies over it closes. */
export function showWords(words, panel) {
  panel.closeSheet();
  for (const control of form.querySelectorAll(TEXTS)) {
    const isShown = control.getClientRects().length > 0;
    if (isShown && (control.matches("textarea") ? selectInArea : selectInText)(control, words)) return;
  }
}

function selectInArea(area, words) {
  const place = placeOf(words, area.value);
  if (!place) return false;
  area.focus();
  area.setSelectionRange(...place);
  area.scrollIntoView({ block: "center" });
  return true;
}

function selectInText(element, words) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let text = "";
  while (walker.nextNode()) {
    nodes.push([walker.currentNode, text.length]);
    text += walker.currentNode.data;
  }
  const place = placeOf(words, text);
  if (!place) return false;
  const [start, end] = place.map((at, isEnd) => {
    const [node, offset] = nodes.findLast(([, from]) => (isEnd ? from < at : from <= at));
    return [node, at - offset];
  });
  element.focus();
  getSelection().setBaseAndExtent(...start, ...end);
  start[0].parentElement.scrollIntoView({ block: "center" });
  return true;
}
