// Pictures that are dropped or pasted: their first descriptions, their upload, and copies of remote ones.

import { _, ngettext } from "../texts.js";
import { copyRemote, upload, uploading } from "./upload.js";

/** Return the name of a file without its end, as a first description: empty where a camera or a program made it. */
function describedBy(name) {
  const words = name.replace(/\.[a-z0-9]+$/i, "").replace(/[_-]+/g, " ").trim();
  return /\d{3}|^(image|img|picture|screenshot|untitled|unnamed)\b/i.test(words) || !words.includes(" ") ? "" : words;
}

/** Return the first description of an uploaded picture: that of the library, else one made of its name. */
export function firstWords(stored, file) {
  return stored.is_decorative ? "" : stored.alt || describedBy(file.name);
}

/**
 * Upload pasted pictures that have bytes; `change` gets the address of each meanwhile, with the stored file or null. Return
 * what there is to say of all pictures; `tell` says how far they are.
 */
export async function settle({ files, lost }, form, tell, change) {
  const said = [];
  for (const [address, file] of files) {
    try {
      change(address, await upload(file, form, (part) => tell(uploading(file, part))));
    } catch (error) {
      change(address, null);
      said.push(error.message);
    }
    URL.revokeObjectURL(address);
  }
  if (files.size && !said.length) said.push(ngettext("The pasted picture is in the media library now.", "The %(num)s pasted pictures are in the media library now.", files.size));
  if (lost.length) said.push(_("Not pasted, since browsers give only the address and not the picture: %(names)s. Upload it, or copy the picture alone.", { names: lost.join(", ") }));
  return said.join(" ");
}

/** Offer copies of pictures that stay on other hosts; `change` puts a stored file in the place of all of an address. */
export function offerCopies(editor, remote, change) {
  const addresses = [...new Set(remote)];
  if (!addresses.length) return;
  const hosts = [...new Set(addresses.map((each) => new URL(each).host))].join(", ");
  const words = ngettext(
    "One picture stays at %(hosts)s, and may vanish from there.",
    "%(num)s pictures stay at %(hosts)s, and may vanish from there.", addresses.length, { hosts });
  editor.offer(words, [[_("Keep copies here"), () => void copyAll(editor, addresses, change)], [_("Leave them there")]]);
}

async function copyAll(editor, addresses, change) {
  const said = [];
  editor.say(_("Copying…"));
  editor.dataset.uploading = "";
  for (const address of addresses) {
    try {
      change(address, await copyRemote(address, editor.area.form));
    } catch (error) {
      said.push(_("%(problem)s It stays where it is.", { problem: error.message }));
    }
  }
  delete editor.dataset.uploading;
  editor.say(said.join(" ") || _("The pictures are in the media library now."));
}

/** Offer to make a gallery of pictures that were just inserted. */
export function offerGallery(editor, make) {
  editor.offer(_("Several pictures: shall they be a gallery?"), [[_("Make a gallery"), make], [_("Leave them as they are")]]);
}
