// What the interactive pieces compute, without a page: tests run this file in Node and compare it with the simulator.
"use strict";

const Model = (() => {
  const LANES = 32, WORD = 4, SECTOR = 32, BANKS = 32;

  // The element that each lane of a warp asks for: x[offset + stride * lane].
  const elements = (stride, offset) => Array.from({ length: LANES }, (_, lane) => offset + stride * lane);

  // Sectors of 32 bytes that a load of fp32 touches, ascending; what is moved, and what of it the lanes wanted.
  function sectors(stride, offset) {
    const wanted = elements(stride, offset);
    const touched = [...new Set(wanted.map((e) => Math.floor((e * WORD) / SECTOR)))].sort((a, b) => a - b);
    return { touched, moved: touched.length * SECTOR, wanted: new Set(wanted).size * WORD };
  }

  // Shared memory: the different words that each bank must give, one after the other. Lanes that want the same word share it.
  function banks(stride, offset) {
    const words = Array.from({ length: BANKS }, () => []);
    for (const word of elements(stride, offset)) {
      const bank = words[word % BANKS];
      if (!bank.includes(word)) bank.push(word);
    }
    return { words, wavefronts: Math.max(...words.map((bank) => bank.length)) };
  }

  // FLOP/s under the two roofs, and which of them binds.
  function roofline(intensity, bandwidth, peak) {
    const ridge = peak / bandwidth;
    return { rate: Math.min(peak, intensity * bandwidth), ridge, binds: intensity < ridge ? "memory" : "compute" };
  }

  // Two states (maximum, sum of exp(x - maximum)) become that of both parts together, each step rounded to fp32.
  const f32 = Math.fround;
  const exp = (x) => f32(Math.exp(f32(x)));
  function join(a, b) {
    const m = Math.max(a.m, b.m);
    const scaled = (part) => f32(part.s * exp(f32(part.m - m)));
    return { m, s: f32(scaled(a) + scaled(b)), left: scaled(a), right: scaled(b) };
  }

  // The states after each element of a row, from left to right.
  function online(row) {
    const states = [{ m: f32(row[0]), s: 1 }];
    for (const x of row.slice(1)) states.push(join(states[states.length - 1], { m: f32(x), s: 1 }));
    return states;
  }

  return { LANES, BANKS, elements, sectors, banks, roofline, join, online, exp };
})();

if (typeof module !== "undefined") module.exports = Model;
