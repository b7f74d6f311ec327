// Uploads into the media library, one request for each file, with progress.

import { _ } from "../texts.js";

export const MEDIA = "/studio/media/";
const MAX_BYTES = 100 * 1024 * 1024;
const FAILED = _("The media library cannot be reached at the moment. Try again soon.");
const OFFLINE = _("The server cannot be reached. Nothing that you typed is lost; try again soon.");

/** Return how far the upload of a file is, in words. */
export function uploading(file, part) {
  const name = file.name || _("the picture");
  return part >= 1 ? _("Preparing %(name)s…", { name }) : _("Uploading %(name)s, %(percent)s %%", { name, percent: Math.floor(part * 10) * 10 });
}

/** Return the meaning of an answer of the media library. Throws an Error with a message for people. */
function readAnswer({ status, url, type, text }) {
  if (status === 401 || url.includes("/sign-in/")) throw new Error(_("You are signed out. Sign in in another tab, then try again."));
  if (status === 413) throw new Error(_("The file is larger than 100 MB."));
  if (status === 507) throw new Error(_("The disk of the server is full, so the file was not stored. Tell who runs it, and try again then."));
  if (!type?.startsWith("application/json")) throw new Error(FAILED);
  return JSON.parse(text);
}

/** Return the answer to a request of the media library as an object. Throws an Error with a message for people. */
export async function answerOf(request) {
  let answer;
  try {
    answer = await request;
  } catch {
    throw new Error(OFFLINE);
  }
  return readAnswer({ status: answer.status, url: answer.url, type: answer.headers.get("content-type"), text: await answer.text() });
}

/** Send a form; `tell` gets the sent part, from 0 to 1. */
function send(body, tell) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", MEDIA);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => tell(total ? loaded / total : 0));
    request.addEventListener("load", () => {
      try {
        resolve(readAnswer({ status: request.status, url: request.responseURL, type: request.getResponseHeader("content-type"), text: request.responseText }));
      } catch (error) {
        reject(error);
      }
    });
    for (const name of ["error", "abort"]) request.addEventListener(name, () => reject(new Error(OFFLINE)));
    request.send(body);
  });
}

/** Have the library take a copy of a file of another host, and return it as the library describes it. */
export async function copyRemote(address, form) {
  const body = new URLSearchParams({ form_token: form.querySelector("[name=form_token]").value, address });
  const { files, refused } = await answerOf(fetch(`${MEDIA}copy/`, { method: "POST", body, headers: { Accept: "application/json" } }));
  const [reason] = Object.entries(refused);
  if (reason) throw new Error(reason.join(": "));
  return files[0];
}

/**
 * Upload a file, and return it as the library describes it, with `repeated`, a sentence if it was there before. `tell` gets the sent part, from 0 to 1. Throws an Error
 * with a message for people.
 */
export async function upload(file, form, tell = () => {}) {
  if (file.size > MAX_BYTES) throw new Error(_("%(name)s: larger than 100 MB.", { name: file.name }));
  const body = new FormData();
  body.set("form_token", form.querySelector("[name=form_token]").value);
  body.set("upload", file, file.name || "picture");
  const { files, refused, repeated } = await send(body, tell);
  const [reason] = Object.entries(refused);
  if (reason) throw new Error(reason.join(": "));
  return { ...files[0], repeated: Object.values(repeated)[0] ?? "" };
}

/**
 * Upload pictures one after the other. `tell` gets how far they are in words, `take` each stored one with its file. Return
 * the messages of those that were not taken.
 */
export async function uploadAll(files, form, tell, take) {
  const problems = [];
  for (const file of files) {
    try {
      tell(uploading(file, 0));
      take(await upload(file, form, (part) => tell(uploading(file, part))), file);
    } catch ({ message }) {
      problems.push(message);
    }
  }
  return problems;
}
