// A name in a table may end a line behind `_` or `/`, and nowhere else. The text stays what it is, for whoever copies it.
"use strict";

for (const code of document.querySelectorAll("article :is(th, td) code")) {
  const parts = code.textContent.split(/(?<=[_/])(?=\w)/);
  code.replaceChildren(...parts.flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
}
