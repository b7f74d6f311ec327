// Pictures in Markdown: inserted, and changed where the cursor is in one.

import { directiveText } from "./block-form.js";
import { pictureOf } from "./markdown-text.js";
import { PictureOptions, placeIn, withPlace } from "./picture-options.js";
import { askPicture } from "./picture-choice.js";

/** A picture: its description, address, caption and attributes. */
const PICTURE = /!\[((?:\\.|[^\]\\\n])*)\]\((?:<([^>\n]*)>|([^\s()]*))(?:\s+"((?:\\.|[^"\\\n])*)")?\)(?:\{([^{}\n]*)\})?/g;
/** A class, or another attribute with its value. */
const ATTRIBUTE = /\.([^\s"'{}=#.]+)|[^\s"']+(?:="[^"]*")?/g;

const plain = (text = "") => text.replace(/\\(.)/g, "$1");

/** Return the picture with the cursor as it was written, undefined for none. */
function pictureWith(value, from, to) {
  const found = [...value.matchAll(PICTURE)].find(({ index, 0: all }) => index <= from && index + all.length >= to);
  if (!found) return undefined;
  const [all, alt, angled, bare, caption, braces = ""] = found;
  const attributes = [...braces.matchAll(ATTRIBUTE)];
  const classes = attributes.flatMap(([, name]) => name ?? []).join(" ");
  const others = attributes.filter(([, name]) => !name).map(([text]) => text);
  return { from: found.index, to: found.index + all.length, url: angled ?? bare, alt: plain(alt), caption: plain(caption), classes, others };
}

/** Return a picture as Markdown: one with a link is a directive. */
function written({ classes = "", others = [] }, { place, link, ...picture }) {
  const names = withPlace({ class: classes }, place)?.class ?? "";
  if (link) {
    const options = [["src", picture.url], ["alt", picture.alt], ["link", link], ["class", names]].filter(([, value]) => value);
    return directiveText({ name: "figure", options, content: picture.caption });
  }
  const braces = [...names.split(" ").filter(Boolean).map((name) => `.${name}`), ...others].join(" ");
  return `${pictureOf(picture)}${braces ? `{${braces}}` : ""}`;
}

/** Ask for the picture with the cursor, or for a new one. */
export async function editPicture(source) {
  const { from, to, value, text } = source.selected;
  const old = pictureWith(value, from, to);
  const { url = "", alt = text.includes("\n") ? "" : text, caption = "", classes } = old ?? {};
  const options = new PictureOptions({ place: placeIn(classes) });
  const answer = await askPicture(source.area.form, { url, alt, caption, options });
  if (!answer) return source.area.focus();
  const made = written(old ?? {}, answer);
  if (old && !answer.link) return source.replace(old.from, old.to, made);
  return source.insertBlock(old?.from ?? from, old?.to ?? to, made);
}
