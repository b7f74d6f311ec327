// Parts of Markdown, written so that they are read as they were meant: words, addresses, pictures, directives.

/** Return a text as the words of a link or the description of a picture. */
export function escaped(text) {
  return text.replace(/\s+/g, " ").replace(/([\\[\]])/g, "\\$1");
}

/** Return an address as it stands in round brackets. */
export function bracketed(address) {
  return /[\s()<>]/.test(address) ? `<${address.replace(/[<>]/g, encodeURIComponent)}>` : address;
}

/** Return a picture without a caption. */
export function pictureAt(url, alt) {
  return `![${escaped(alt)}](${bracketed(url)})`;
}

/** Return a picture; its title is shown as the caption. */
export function pictureOf({ url, alt, caption = "" }) {
  const title = caption.replace(/\s+/g, " ").replace(/([\\"])/g, "\\$1");
  return `![${escaped(alt)}](${bracketed(url)}${title ? ` "${title}"` : ""})`;
}
