/**
 * Detects words that make a line worth a closer look, by their first letters: words for "@" ("at",
 * "arroba", "chiocciola" …) and "copyright". Most lines have none.
 */
export const cueLetters = "ackmsz";

/** By the first three characters of a word; a missing one is 0 or not a letter. */
export function isCue(first: number, second: number, third: number): boolean {
  const next = second | 32;
  const last = third | 32;
  switch (first | 32) {
    case a:
      if (next === t) return last < a || last > z;
      return next === r ? last === r || last === o : next === p && last === e;
    case c:
      return next === h ? last === i : next === o && last === p;
    case k:
      return next === l ? last === a : next === u && last === k;
    case m:
      return next === a && third > 127;
    case s:
      return next === n && last === a;
    default:
      return next === a && last === v;
  }
}

/** Cue words that begin with a non-ASCII letter: "ät", "собака". */
export const isWideCue = (code: number): boolean =>
  code === 0xe4 || code === 0xc4 || code === 0x441 || code === 0x421;

const a = 97;
const c = 99;
const e = 101;
const h = 104;
const i = 105;
const k = 107;
const l = 108;
const m = 109;
const n = 110;
const o = 111;
const p = 112;
const r = 114;
const s = 115;
const t = 116;
const u = 117;
const v = 118;
const z = 122;
