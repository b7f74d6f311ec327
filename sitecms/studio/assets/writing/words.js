// How many words a text has, counted as the site counts them (`content/text/html.py`).

const WORD = /[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu;
const IDEOGRAPH = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g;
const WORDS_PER_MINUTE = 230;
const IDEOGRAPHS_PER_MINUTE = 450;

/** Return how many words a text in Markdown or HTML has, and how many minutes reading it takes. */
export function count(text) {
  const plain = text.replace(/```[^\n]*|\]\([^)]*\)|<[^>]*>/g, " ");
  const ideographs = plain.match(IDEOGRAPH)?.length ?? 0;
  const words = plain.replace(IDEOGRAPH, " ").match(WORD)?.length ?? 0;
  const minutes = Math.max(1, Math.ceil(words / WORDS_PER_MINUTE + ideographs / IDEOGRAPHS_PER_MINUTE));
  return { words: words + ideographs, minutes };
}
