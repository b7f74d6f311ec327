// Pictures in rich text: inserted, changed and replaced by their dialog.

import { _ } from "../texts.js";
import { around, insertBlock, newFigure } from "./commands.js";
import { PictureOptions, placeIn, withPlace } from "./picture-options.js";
import { askPicture } from "./picture-choice.js";
import { schema } from "./schema.js";

const { nodes } = schema;

/** Ask for the picture that is selected or whose caption has the cursor, or for a new one. */
export async function editPicture(editor) {
  const { view, area } = editor;
  const { selection } = view.state;
  const figure = around(view.state, nodes.figure);
  const image = selection.node?.type === nodes.image ? selection.node : null;
  const old = image ?? figure?.node.firstChild;
  const { src = "", alt = "" } = old?.attrs.attributes ?? {};
  const options = image ? null : new PictureOptions({
    place: placeIn(figure?.node.attrs.attributes?.class), link: old?.attrs.link?.href ?? "",
  });
  const answer = await askPicture(area.form, { url: src, alt, caption: old ? null : "", options });
  view.focus();
  if (!answer) return;
  if (!old) {
    insertBlock(newFigure(answer), "end")(view.state, view.dispatch);
    return;
  }
  const at = image ? selection.from : figure.position + 1;
  if (view.state.doc.nodeAt(at) !== old) {
    editor.say(_("The picture was changed meanwhile. Open its settings again."));
    return;
  }
  const { width, height, srcset, sizes, ...rest } = old.attrs.attributes;
  const attributes = { ...(answer.url === src ? old.attrs.attributes : rest), src: answer.url, alt: answer.alt };
  const { tr } = view.state;
  if (image) tr.setNodeMarkup(at, null, { attributes });
  else {
    const link = answer.link ? { ...old.attrs.link, href: answer.link } : null;
    tr.setNodeMarkup(at, null, { attributes, link });
    tr.setNodeMarkup(figure.position, null, { attributes: withPlace(figure.node.attrs.attributes, answer.place) });
  }
  view.dispatch(tr);
}
