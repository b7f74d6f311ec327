// The parts of ProseMirror that the editor of rich text uses. What is not named here is left out of the bundle.

export {
  baseKeymap, chainCommands, exitCode, lift, selectParentNode, setBlockType, splitBlockAs, toggleMark, wrapIn,
} from "prosemirror-commands";
export { dropCursor } from "prosemirror-dropcursor";
export { gapCursor } from "prosemirror-gapcursor";
export { closeHistory, history, redo, undo } from "prosemirror-history";
export { InputRule, inputRules, textblockTypeInputRule, undoInputRule } from "prosemirror-inputrules";
export { keymap } from "prosemirror-keymap";
export { DOMParser, Fragment, Schema } from "prosemirror-model";
export { liftListItem, sinkListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
export { EditorState, NodeSelection, Plugin, TextSelection } from "prosemirror-state";
export {
  addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable, goToNextCell, isInTable, tableEditing, TableMap, toggleHeaderRow,
} from "prosemirror-tables";
export { Decoration, DecorationSet, EditorView } from "prosemirror-view";
