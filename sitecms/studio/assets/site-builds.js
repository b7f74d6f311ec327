// Shows what becomes of a build that was asked for. Without this script the page is reloaded by hand.

const PAUSE_MS = 1500;

/** Show the page as it is now, and again until no build is asked for or runs. */
async function refresh() {
  try {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-builds]");
    if (!next) return;
    const shown = document.querySelector("[data-builds]");
    const state = shown.querySelector(".build-state");
    const text = next.querySelector(".build-state").textContent;
    if (next.dataset.builds && state.textContent === text) return wait();
    const hadFocus = shown.contains(document.activeElement);
    shown.replaceWith(next);
    if (hadFocus) next.querySelector("button").focus();
    if (next.dataset.builds) wait();
  } catch {
    wait();
  }
}

function wait() {
  setTimeout(refresh, PAUSE_MS);
}

if (document.querySelector("[data-builds=waits]")) wait();
