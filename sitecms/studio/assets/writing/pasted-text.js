// Pasted HTML as plain text with its pictures, for texts in Markdown. It is loaded when such HTML is pasted.

import { BLOCKS, fragmentOf } from "./html.js";
import { DROPPED, PastedPictures } from "./paste.js";

export { PastedPictures };

/**
 * Return the text of pasted HTML, with what `written` returns for the address and the description of each picture. What
 * cannot be taken of the pictures is left out.
 */
export function pastedText(html, pictures, written) {
  const content = fragmentOf(html);
  for (const each of content.querySelectorAll(DROPPED)) each.remove();
  const textOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.parentNode.closest?.("pre") ? node.data : node.data.replace(/\s+/g, " ");
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.localName === "br") return "\n";
    if (node.localName === "img") {
      const address = pictures.take((node.getAttribute("src") ?? "").trim());
      return address && written(address, node.getAttribute("alt") ?? "");
    }
    const text = [...node.childNodes].map(textOf).join("");
    if (/^t[dh]$/.test(node.localName)) return `${text.trim()}\t`;
    if (/^(li|tr)$/.test(node.localName)) return `\n${text.trim()}\n`;
    return BLOCKS.has(node.localName) ? `\n\n${text}\n\n` : text;
  };
  const text = [...content.childNodes].map(textOf).join("");
  return text.replace(/[ \t]*\n[ \t]*/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}
