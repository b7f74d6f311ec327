// Work that waits for a pause in typing, so that no key waits for it.

// By then a key is drawn; a hidden page draws nothing.

const DRAWN_MS = 100;

let keyAt = -DRAWN_MS;

addEventListener("keydown", ({ timeStamp }) => (keyAt = timeStamp), true);

/** Wait until the page has drawn what the last keys did. */
function drawn() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, DRAWN_MS);
  });
}

/**
 * Run a function when the browser has nothing else to do, but not between a key and the frame that shows it. It waits
 * `most` milliseconds, and then for that frame.
 */
export function whenIdle(act, most = 300) {
  const run = () => (performance.now() - keyAt < DRAWN_MS ? void drawn().then(act) : act());
  if (globalThis.requestIdleCallback) requestIdleCallback(run, { timeout: most });
  else setTimeout(run, 0);
}

/** Return a function that calls another one after a pause, at the latest `most` milliseconds after its first call. */
export function afterPause(act, quiet, most) {
  let since = null;
  let last = 0;
  const look = () => {
    const rest = Math.min(last + quiet, since + most) - performance.now();
    if (rest > 0) return setTimeout(look, rest);
    since = null;
    return whenIdle(act);
  };
  return () => {
    last = performance.now();
    if (since !== null) return;
    since = last;
    setTimeout(look, quiet);
  };
}
