// The switch between languages keeps the page, which its address does, and the place on it. The theme would look the other
// language's address up in a sitemap and begin at its first page: it does not hear of the click.
"use strict";

for (const link of document.querySelectorAll("[data-switch]")) {
  link.addEventListener("click", (event) => {
    link.hash = location.hash;
    event.stopPropagation();
  });
}
