// Loads scripts of services on demand: comments when they come into view or after a click, analytics after consent.

const ANSWER = "sitecms-consent";

function load(element, before) {
  const script = document.createElement("script");
  for (const [name, value] of Object.entries(JSON.parse(element.dataset.attributes))) script.setAttribute(name, value);
  script.async = true;
  script.src = element.dataset.src;
  (before ?? document.head).append(script);
}

// By the id of their heading, which no text may have: a text may hold any attribute data-...
const comments = document.getElementById("_comments")?.parentElement.querySelector("[data-load]");
if (comments) {
  const button = comments.parentElement.querySelector("button");
  const show = () => {
    button.hidden = true;
    load(comments, comments.id ? document.head : comments);
  };
  if (comments.dataset.load === "click") {
    button.hidden = false;
    button.addEventListener("click", show);
  } else {
    const observer = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) {
        observer.disconnect();
        show();
      }
    }, {rootMargin: "300px"});
    observer.observe(comments.parentElement);
  }
}

// Google's tag reads its commands from dataLayer, as the arguments of a function.
function count(banner) {
  window.dataLayer = window.dataLayer ?? [];
  function gtag() {
    window.dataLayer.push(arguments);
  }
  gtag("js", new Date());
  gtag("config", JSON.parse(banner.dataset.attributes)["data-measurement"]);
  load(banner);
}

const banner = document.getElementById("_consent");
if (banner) {
  const again = document.getElementById("_consent-again");
  const answered = answer => {
    banner.hidden = true;
    again.hidden = false;
    if (answer === "yes" && !window.dataLayer) count(banner);
  };
  const kept = localStorage.getItem(ANSWER);
  if (kept) answered(kept);
  else banner.hidden = false;
  banner.addEventListener("click", event => {
    const answer = event.target.value;
    if (!answer) return;
    localStorage.setItem(ANSWER, answer);
    answered(answer);
    again.focus();
  });
  again.addEventListener("click", () => {
    again.hidden = true;
    banner.hidden = false;
    banner.querySelector("button").focus();
  });
}
