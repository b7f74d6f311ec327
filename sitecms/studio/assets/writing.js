// Loads the editors that the page has, or a row that was added to it.

function load() {
  if (document.querySelector("markdown-source")) import("./markdown-source.js");
  if (document.querySelector("rich-text")) import("./rich-text.js");
}

load();
document.addEventListener("sitecms:added", load);
