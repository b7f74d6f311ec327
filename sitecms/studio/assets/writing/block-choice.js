// The choice of a block in a dialog: a button for each, those of one group together.

import { ask } from "./dialogs.js";
import { make } from "./elements.js";
import { _ } from "../texts.js";

/** Return the blocks of a list, of each group the first one: pairs of name and label. */
export function withoutGroups(blocks) {
  const groups = new Set();
  return blocks.filter(({ group }) => !group || (!groups.has(group) && groups.add(group)))
    .map(({ name, label, group, keywords }) => ({ name, label: group || label, keywords: `${name} ${keywords}` }));
}

/** Ask for a block, and return the name of its directive, null if it was cancelled. */
export function chooseBlock(blocks) {
  const tiles = withoutGroups(blocks).map(({ name, label }) => make("button", { value: name }, label));
  return ask(_("Insert a block"), [make("p", { className: "block-choice" }, ...tiles)], [], (name) => name);
}
