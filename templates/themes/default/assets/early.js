// Runs before the page is painted: what only a script can do is shown, and the colours are those that the reader chose.
{
  const root = document.documentElement;
  root.dataset.script = "";
  try {
    const chosen = localStorage.getItem("sitecms-scheme");
    if (chosen && document.currentScript.hasAttribute("data-switch")) root.dataset.scheme = chosen;
  } catch {
    // Storage is switched off: the colours are those of the device.
  }
  // A picture that cannot be had leaves no empty box.
  document.addEventListener("error", ({target}) => {
    const box = target.closest?.(".frame");
    box?.closest(".story, .row")?.classList.add("plain");
    (box?.closest(".plate") ?? box)?.remove();
  }, true);
}
