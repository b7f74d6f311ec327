// Work that waits for a pause in typing, so that no key waits for it.

/** Run a function when the browser has nothing else to do, at most `most` milliseconds from now. */
export function whenIdle(act, most = 300) {
  if (globalThis.requestIdleCallback) requestIdleCallback(() => act(), { timeout: most });
  else setTimeout(act, 0);
}

/** Return a function that calls another one after a pause, at the latest `most` milliseconds after its first call. */
export function afterPause(act, quiet, most) {
  let timer = null;
  let since = null;
  return () => {
    const now = performance.now();
    since ??= now;
    clearTimeout(timer);
    timer = setTimeout(() => {
      since = null;
      whenIdle(act);
    }, Math.max(0, Math.min(quiet, since + most - now)));
  };
}
