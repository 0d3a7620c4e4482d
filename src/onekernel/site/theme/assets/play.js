// The interactive pieces of the pages. Each fills an element that site/play.py wrote, with words in the page's language;
// Model computes. Nothing is fetched, nothing is kept.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const lang = document.documentElement.lang || "en";

  function make(tag, attributes = {}, ...children) {
    const svg = ["svg", "rect", "text", "line", "circle", "path", "g"].includes(tag);
    const made = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // Four digits, with the separators of the language: English 1,234.5; Spanish 1234,5.
  function number(value, digits = 4) {
    const useGrouping = lang === "es" ? Math.abs(value) >= 10000 : true;
    return value.toLocaleString(lang, { maximumSignificantDigits: digits, useGrouping });
  }

  // {name} is a value; {name:one|many} the word that stands with it.
  function filled(text, values) {
    return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) =>
      one === undefined ? values[name] : String(values[name]) === "1" ? one : many);
  }

  const box = (x, y, width, height, kind) => make("rect", { x, y, width, height, rx: 2, class: kind });
  const label = (x, y, text, anchor = "middle", kind = "ink") =>
    make("text", { x, y, "text-anchor": anchor, class: kind }, text);

  function slider(text, least, most, value, changed, step = 1) {
    const input = make("input", { type: "range", min: least, max: most, step, value, "aria-label": text });
    const shown = make("output");
    input.addEventListener("input", changed);
    const row = make("label", { class: "play-slider" }, make("span", {}, text), input, shown);
    return { row, input, shown, get value() { return Number(input.value); } };
  }

  // A piece: heading, controls, picture, and what it shows in words, which is the picture's text alternative too.
  function frame(element, words, width, height) {
    const picture = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    const told = make("p", { class: "play-told", "aria-live": "polite" });
    const controls = make("div", { class: "play-controls" });
    element.append(make("p", { class: "play-title" }, words.title), controls, picture, told);
    return {
      controls,
      draw(parts, text) {
        picture.replaceChildren(...parts.flat());
        picture.setAttribute("aria-label", text);
        told.textContent = text;
      },
    };
  }

  function access(element, words) {
    const piece = frame(element, words, 390, 330);
    const stride = slider(words.stride, 0, 33, 1, redraw);
    const offset = slider(words.offset, 0, 31, 0, redraw);
    piece.controls.append(stride.row, offset.row);

    function redraw() {
      stride.shown.textContent = stride.value;
      offset.shown.textContent = offset.value;
      const wanted = Model.elements(stride.value, offset.value);
      const { touched, moved, wanted: asked } = Model.sectors(stride.value, offset.value);
      const { words: inBank, wavefronts } = Model.banks(stride.value, offset.value);
      const parts = [label(8, 16, words.global, "start", "ink bold")];
      // Every sector up to the last that can be touched: 1,056 elements in 132 sectors, 12 to a line.
      for (let sector = 0; sector < 132; sector++) {
        const x = 8 + 31.3 * (sector % 12), y = 24 + 13 * Math.floor(sector / 12);
        parts.push(box(x, y, 29.6, 10.5, touched.includes(sector) ? "blue" : "paper"));
      }
      for (const e of new Set(wanted)) {
        const sector = Math.floor(e / 8);
        parts.push(box(9 + 31.3 * (sector % 12) + 3.5 * (e % 8), 26 + 13 * Math.floor(sector / 12), 3, 6.5, "orange"));
      }
      parts.push(label(8, 190, words.shared, "start", "ink bold"));
      inBank.forEach((bank, n) => {
        const worst = bank.length === wavefronts && wavefronts > 1;
        parts.push(box(8 + 11.7 * n, 300 - 3 * 32, 10.5, 96, "paper"));
        bank.forEach((_, k) => parts.push(box(8 + 11.7 * n, 300 - 3 * (k + 1), 10.5, 2.6, worst ? "red" : "green")));
        if (n % 8 === 0 || n === 31) parts.push(label(13 + 11.7 * n, 314, String(n), "middle", "faint"));
      });
      piece.draw(parts, filled(words.told, {
        sectors: touched.length, moved: number(moved), wanted: number(asked), wavefronts,
        share: number((100 * asked) / moved, 3),
      }));
    }
    redraw();
  }

  function roofline(element, words, data) {
    const piece = frame(element, words, 390, 270);
    const intensity = slider(words.intensity, -100, 300, -20, redraw);
    const card = make("select", { "aria-label": words.card });
    data.cards.forEach((c, n) => card.append(make("option", { value: n }, c.name)));
    card.addEventListener("change", redraw);
    piece.controls.append(make("label", { class: "play-slider" }, make("span", {}, words.card), card), intensity.row);
    const at = (i, rate) => [50 + 80 * (Math.log10(i) + 1), 232 - 53 * (Math.log10(rate) - 10.5)];

    function redraw() {
      const { bandwidth, peak } = data.cards[Number(card.value)];
      const i = 10 ** (intensity.value / 100);
      const { rate, ridge, binds } = Model.roofline(i, bandwidth, peak);
      const unit = (r) => filled(words.rate, { rate: number(r / 1e12, 3) });
      intensity.shown.textContent = number(i, 3);
      const [rx, ry] = at(ridge, peak), [x, y] = at(i, rate);
      const [lx, ly] = at(0.1, 0.1 * bandwidth), [ex] = at(1000, peak);
      piece.draw([
        make("path", { d: `M50 20V232H${ex}`, class: "axis" }),
        [-1, 0, 1, 2, 3].map((p) => label(at(10 ** p, 1e12)[0], 248, number(10 ** p), "middle", "faint")),
        [1e11, 1e12, 1e13, 1e14].map((r) => label(46, at(1, r)[1] + 4, number(r / 1e12), "end", "faint")),
        label(50, 14, words.y, "start", "faint"), label(ex, 264, words.x, "end", "faint"),
        make("path", { d: `M${lx} ${ly}L${rx} ${ry}`, class: `roof blue ${binds === "memory" ? "binds" : ""}` }),
        make("path", { d: `M${rx} ${ry}H${ex}`, class: `roof red ${binds === "compute" ? "binds" : ""}` }),
        make("path", { d: `M${x} ${y}V232`, class: "axis dashed" }),
        make("circle", { cx: x, cy: y, r: 7, class: "orange" }),
        // Beside the point, off the slope: to its right while there is room, else lower, to its left.
        label(x < 285 ? x + 12 : x - 12, x < 285 ? y + 22 : y + 50, unit(rate), x < 285 ? "start" : "end", "ink bold"),
      ], filled(words[binds], {
        intensity: number(i, 3), rate: unit(rate), ridge: number(ridge, 3), share: number((100 * rate) / peak, 3),
      }));
    }
    redraw();
  }

  function online(element, words) {
    const ROWS = [[1, 3, 2, 5, 4, 0], [5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5], [2, 2, 2, 2, 2, 2]];
    const piece = frame(element, words, 390, 232);
    let row = 0, step = 0;
    const button = (text, acted) => {
      const made = make("button", { type: "button" }, text);
      made.addEventListener("click", () => { acted(); redraw(); });
      piece.controls.append(made);
      return made;
    };
    const back = button(words.back, () => { step -= 1; });
    const next = button(words.next, () => { step += 1; });
    button(words.other, () => { row = (row + 1) % ROWS.length; step = 0; });

    function redraw() {
      const values = ROWS[row], states = Model.online(values), now = states[step];
      back.disabled = step === 0;
      next.disabled = step === values.length - 1;
      const parts = [];
      values.forEach((x, k) => {
        const left = 12 + 62 * k, seen = k <= step;
        parts.push(box(left, 12, 56, 30, k === step ? "orange" : seen ? "blue" : "paper"));
        parts.push(label(left + 28, 32, number(x), "middle", seen ? "ink bold" : "faint"));
        const weight = Model.exp(x - now.m);
        if (seen) parts.push(box(left, 170 - 90 * weight, 56, Math.max(1, 90 * weight), k === step ? "orange" : "blue"));
        if (seen) parts.push(label(left + 28, 184, number(weight, 3), "middle", "faint"));
      });
      parts.push(make("path", { d: "M12 170H382", class: "axis" }));
      parts.push(label(195, 62, filled(words.weights, { m: number(now.m) }), "middle", "faint"));
      parts.push(label(195, 214, `m = ${number(now.m)}     s = ${number(now.s, 5)}`, "middle", "ink bold mono"));
      const before = states[step - 1];
      const rescaled = before && before.m !== now.m;
      const text = !before ? words.first : rescaled ? words.rescaled : words.kept;
      piece.draw(parts, filled(text, {
        x: number(values[step]), m: number(now.m), s: number(now.s, 5), old: before ? number(before.m) : "",
        sum: before ? number(before.s, 5) : "", factor: before ? number(Model.exp(before.m - now.m), 4) : "",
        added: before ? number(now.right, 4) : "",
      }));
    }
    redraw();
  }

  const PIECES = { access, roofline, online };
  for (const element of document.querySelectorAll("[data-play]")) {
    PIECES[element.dataset.play](element, JSON.parse(element.dataset.words), JSON.parse(element.dataset.facts));
  }
})();
