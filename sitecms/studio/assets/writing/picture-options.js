// What the dialog of pictures asks beside the picture and its words: its place, its link, and a cropped copy of it.

import { _ } from "../texts.js";
import { labelled, make } from "./elements.js";

const PLACES = ["wide", "align-left", "align-right"];

/** Return the place of a picture among the classes of its figure, "" for the usual one. */
export function placeIn(classes = "") {
  return classes.split(" ").find((each) => PLACES.includes(each)) ?? "";
}

/** Return attributes with the class of a place; other classes stay. Null if there are none. */
export function withPlace(attributes, place) {
  const { class: classes = "", ...rest } = attributes ?? {};
  const kept = [...classes.split(" ").filter((each) => each && !PLACES.includes(each)), place].filter(Boolean).join(" ");
  const all = kept ? { ...rest, class: kept } : rest;
  return Object.keys(all).length ? all : null;
}

/** The fields of the place and the link of a picture. */
export class PictureOptions {
  constructor({ place = "", link = "" } = {}) {
    const names = [["", _("As wide as usual")], ["wide", _("As wide as the page has room")], ["align-left", _("Left, with text beside it")], ["align-right", _("Right, with text beside it")]];
    this.place = make("select", {}, ...names.map(([value, text]) => make("option", { value, selected: value === place }, text)));
    this.link = make("input", { value: link, inputMode: "url", autocomplete: "off", spellcheck: false });
  }

  /** Return the fields; `picture` has the form, the address that is chosen now, and functions that use a file and say something. */
  draw(picture) {
    const crop = make("button", { type: "button" }, _("Crop a copy…"));
    crop.addEventListener("click", () => void this.crop(picture, crop));
    const file = make("a", { target: "_blank" }, _("Focal point and decoration"));
    const show = () => {
      const [, name] = /^\/media\/([^/]+)$/.exec(picture.address) ?? [];
      crop.hidden = !name || /\.(gif|svg)$/i.test(name);
      file.hidden = !name;
      file.href = `/studio/media/${name}/`;
    };
    picture.changed = show;
    show();
    return [
      make("p", { className: "buttons small" }, crop, file),
      labelled(_("Size and place"), this.place),
      labelled(_("Link of the picture (optional)"), this.link, _("An address such as /about/ or https://example.org.")),
    ];
  }

  async crop(picture, button) {
    try {
      const { askCrop } = await import("./crop.js");
      const stored = await askCrop(picture);
      if (stored) picture.use(stored);
    } catch (error) {
      picture.say(error.message);
    }
    button.focus();
  }

  read() {
    return { place: this.place.value, link: this.link.value.trim() };
  }
}
