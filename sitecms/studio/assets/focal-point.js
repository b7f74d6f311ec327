// <focal-point> around two range inputs: shows the point in the picture, and moves it by a click there.

import { make } from "./writing/elements.js";

class FocalPoint extends HTMLElement {
  connectedCallback() {
    const picture = document.getElementById(this.dataset.picture);
    if (this.point || !picture) return;
    [this.x, this.y] = this.querySelectorAll("input[type=range]");
    this.point = make("span", { className: "point", ariaHidden: "true" });
    picture.after(this.point);
    this.crops = document.querySelectorAll(".crops img");
    for (const input of [this.x, this.y]) input.addEventListener("input", () => this.show());
    if (!this.x.matches(":disabled")) {
      picture.parentElement.classList.add("on");
      picture.addEventListener("click", (event) => this.clicked(event, picture.getBoundingClientRect()));
    }
    this.show();
  }

  clicked(event, box) {
    this.x.value = Math.round(((event.clientX - box.left) / box.width) * 100);
    this.y.value = Math.round(((event.clientY - box.top) / box.height) * 100);
    this.show();
  }

  show() {
    for (const input of [this.x, this.y]) input.nextElementSibling.textContent = `${input.value} %`;
    this.point.style.left = `${this.x.value}%`;
    this.point.style.top = `${this.y.value}%`;
    for (const crop of this.crops) crop.style.objectPosition = `${this.x.value}% ${this.y.value}%`;
  }
}

customElements.define("focal-point", FocalPoint);
