// The menu of blocks and the handle beside them, loaded when somebody begins to write.

import { Plugin } from "../vendor/prosemirror.js";

/** Return the plugin; `acts` are functions of the editor that ask something, and get `blocks`, which opens the menu. */
export function blockTools(acts) {
  let menu = null;
  let isGone = false;
  return new Plugin({
    view(view) {
      let loading = null;
      const load = () => {
        loading ??= import("./block-menu.js").then(({ openMenu }) => openMenu(view, acts)).then((opened) => {
          if (isGone) opened.destroy();
          else menu = opened;
        }).catch(() => (loading = null));
        return loading;
      };
      for (const name of ["focus", "pointerenter"]) view.dom.addEventListener(name, load);
      acts.blocks = () => load().then(() => menu?.openBelow());
      return {
        update: () => menu?.update(view),
        destroy: () => {
          isGone = true;
          menu?.destroy();
        },
      };
    },
    props: { handleKeyDown: (_view, event) => menu?.pressed(event) ?? false },
  });
}
