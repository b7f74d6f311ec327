// The clock of presence.js.
setInterval(() => postMessage(0), 15000);
