// The preview of the theme beside its settings, loaded when it is first opened. Without this script the button opens the
// page in a window of its own.

const button = document.querySelector(".to-preview");

button.setAttribute("aria-pressed", "false");
button.addEventListener("click", async (event) => {
  event.preventDefault();
  const { openPreview } = await import("./preview-pane.js");
  openPreview();
}, { once: true });
