// Keeps a previewed page fresh, shows what is wrong, and marks what is not published yet.
"use strict";
(() => {
  const shown = { ...document.currentScript.dataset }; // the versions of pages and styles that this page has
  const placeKey = "sitecms-preview:" + location.pathname;

  function element(tag, name, text) {
    const made = document.createElement(tag);
    made.className = name;
    made.textContent = text || "";
    return made;
  }

  function plain(address) {
    try {
      return decodeURIComponent(new URL(address, location.href).pathname);
    } catch {
      return "";
    }
  }

  function showMarks(marks) {
    document.querySelectorAll(".sitecms-ribbon, .sitecms-badge").forEach((each) => each.remove());
    const own = marks[plain(location.href)];
    if (own) {
      document.body.append(element("p", "sitecms-ribbon", own));
    }
    for (const link of document.querySelectorAll("a[href]")) {
      const mark = link.origin === location.origin && link.textContent.trim() && marks[plain(link.href)];
      if (mark && !link.hash) {
        link.append(element("span", "sitecms-badge", mark));
      }
    }
  }

  function showProblems(problems) {
    document.querySelectorAll(".sitecms-overlay").forEach((each) => each.remove());
    if (!problems.length) {
      return;
    }
    const overlay = element("section", "sitecms-overlay");
    overlay.setAttribute("role", "alert");
    const count = problems.length === 1 ? "One error" : problems.length + " errors";
    overlay.append(element("h2", "", count + "; pages with errors are shown as they were before"));
    const list = element("ul", "");
    for (const problem of problems.slice(0, 50)) {
      const item = element("li", "");
      item.append(element("code", "", problem.where), element("p", "", problem.what));
      if (problem.remedy) {
        item.append(element("p", "sitecms-remedy", problem.remedy));
      }
      list.append(item);
    }
    const close = element("button", "", "Close");
    close.type = "button";
    close.addEventListener("click", () => overlay.remove());
    overlay.addEventListener("keydown", (event) => event.key === "Escape" && overlay.remove());
    overlay.append(list, close);
    document.body.append(overlay);
  }

  async function renewStyles() {
    const answer = await fetch(location.href, { cache: "no-store" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const sheets = (page) => [...page.querySelectorAll('link[rel~="stylesheet"]:not([href^="/.preview/"])')];
    const [before, after] = [sheets(document), sheets(fresh)];
    if (before.length !== after.length) {
      location.reload();
      return;
    }
    before.forEach((old, number) => {
      const href = after[number].getAttribute("href");
      if (old.getAttribute("href") !== href) {
        const renewed = old.cloneNode();
        renewed.href = href;
        renewed.addEventListener("load", () => old.remove());
        old.after(renewed);
      }
    });
  }

  function reload() {
    sessionStorage.setItem(placeKey, JSON.stringify([scrollX, scrollY]));
    location.reload();
  }

  const place = sessionStorage.getItem(placeKey);
  if (place) {
    sessionStorage.removeItem(placeKey);
    const [x, y] = JSON.parse(place);
    addEventListener("load", () => scrollTo({ left: x, top: y, behavior: "instant" }), { once: true });
  }

  const events = new EventSource("/.preview/events");
  events.onmessage = (event) => {
    const moment = JSON.parse(event.data);
    if (moment.pages !== shown.pages) {
      reload();
      return;
    }
    showProblems(moment.problems);
    showMarks(moment.marks);
    if (moment.styles !== shown.styles) {
      shown.styles = moment.styles;
      renewStyles();
    }
  };
  addEventListener("pagehide", () => events.close());
})();
