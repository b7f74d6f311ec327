// Loads the editors that the page has.

if (document.querySelector("markdown-source")) import("./markdown-source.js");
if (document.querySelector("rich-text")) import("./rich-text.js");
