// Links in rich text: made, changed and removed by their dialog.

import { linkAt } from "./commands.js";
import { askLink } from "./link-dialog.js";
import { schema } from "./schema.js";

/** Ask for the link of the selected words, or of the one with the cursor. */
export async function editLink(editor) {
  const { view, area } = editor;
  const found = linkAt(view.state);
  const { from, to, empty } = view.state.selection;
  editor.write();
  const answer = await askLink(area, { address: found?.attributes.href ?? "", text: empty && !found ? "" : null });
  view.focus();
  if (!answer) return;
  const { link } = schema.marks;
  const { tr } = view.state;
  const range = found ?? { from, to };
  if (empty && !found && answer.address) {
    tr.insertText(answer.text, from);
    range.to = from + answer.text.length;
  }
  tr.removeMark(range.from, range.to, link);
  const attributes = { ...found?.attributes, href: answer.address };
  if (answer.address) tr.addMark(range.from, range.to, link.create({ attributes }));
  view.dispatch(tr.removeStoredMark(link));
}
