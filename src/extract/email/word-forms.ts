import type { FoundEmail } from "./found.ts";

/**
 * Addresses written in words: "info [at] company [dot] com", "info(at)company.com", "info AT
 * company DOT com". They need a word for "@", and that is in brackets or the dots are words too;
 * otherwise every "meet us at company.com" would be an address.
 */
const atWords =
  "at|@|a|ät|aet|æt|ett|à|arroba|arobas|arobase|chiocciola|klammeraffe|affenschwanz|snabel-?a|apenstaartje|zavinac|zavináč|kukac|malpa|małpa|собака|at[-_ ]?sign|at[-_ ]?zeichen|et|ad";
const dotWords =
  "dot|\\.|punkt|punto|point|ponto|punt|pkt|tečka|tecka|kropka|pont|точка|nokta|dott|piste|prik|d0t";
const open = "[[({<«|*/_~-]";
const anyOpen = new RegExp(open);
const close = "[\\])}>»|*/_~-]";

const bracketedAt = new RegExp(
  `\\s{0,3}(?:[[({<«]{1,2}\\s{0,3}(?:${atWords})\\s{0,3}[\\])}>»]{1,2}|(?<=[a-z0-9] {0,2})[|*/_~-]{1,2}(?:at|ät|arroba|chiocciola)[|*/_~-]{1,2}(?=[a-z0-9 ]))\\s{0,3}`,
  "giu",
);
const bareAt =
  /(?<=[a-z0-9])\s{1,3}(?:at|AT|At|ät|Ät|ÄT|arroba|ARROBA|arobase|AROBASE|chiocciola|CHIOCCIOLA|klammeraffe|snabel-a|snabela|apenstaartje|zavináč|kukac|małpa|собака|at-sign)\s{1,3}(?=[a-z0-9])/gu;
const looseAt = /(?<=[a-z0-9])\s{1,2}@\s{0,2}(?=[a-z0-9])|(?<=[a-z0-9])@\s{1,2}(?=[a-z0-9])/giu;
const wideAt = /[＠﹫]/g;
/** "info@company [dot] com": with an "@", but the dots are words. */
const plainAt = /(?<=[a-z0-9])@(?=[a-z0-9])/giu;
const bracketedDot = new RegExp(
  `\\s{0,3}${open}\\s{0,3}(?:${dotWords})\\s{0,3}${close}\\s{0,3}`,
  "giuy",
);
const bareDot = new RegExp(
  `\\s{1,3}(?:${dotWords.replace("\\.|", "")})\\s{1,3}(?=[a-z0-9])`,
  "giuy",
);
const plainDot = /\s{0,1}[.．。]\s{0,1}(?=[a-z0-9])/giuy;
const strictDot = /[.．。](?=[a-z0-9])/giuy;
const label = /[a-z0-9\u00c0-\u024f](?:[a-z0-9\u00c0-\u024f-]{0,61}[a-z0-9\u00c0-\u024f])?/giuy;
const localEnd = /[a-z0-9_](?:[a-z0-9._%+'-]{0,62}[a-z0-9_])?$/iu;
const localDot = new RegExp(
  `(?:\\s{0,2}${open}\\s{0,2}(?:${dotWords})\\s{0,2}${close}\\s{0,2}|\\s(?:dot|punkt|punto|point|ponto)\\s)$`,
  "iu",
);

/** Words before a plain "at" that are no mailbox names: "find us at company dot com". */
const notLocals =
  /^(?:us|me|we|them|him|her|it|look|visit|site|website|web|online|find|found|is|are|be|or|and|up|here|there|available|page|pages|out|more|reach|contact us|call|located|working|work|works|now|shop|store|sale|meet|arrive|arriving|starting|starts|open|live|stay|based|read|blog|team|expert|experts|services|hosted|registered|everything|all|one|that|this|you|available)$/i;

export function findWordForms(text: string): readonly FoundEmail[] {
  if (
    !/[[({<«|*/_~-]|\b(?:at|ät|arroba|arobase|chiocciola)\b|[＠﹫@]|klammeraffe|snabel|apenstaart|zavin|kukac|małpa|собака/iu.test(
      text,
    )
  )
    return [];
  const hasSign = text.includes("@");
  return [
    ...(anyOpen.test(text) ? signs(text, bracketedAt, { dots: "any", isBare: false }) : []),
    ...(/[＠﹫]/.test(text) ? signs(text, wideAt, { dots: "any", isBare: false }) : []),
    ...(hasSign ? signs(text, looseAt, { dots: "strict", isBare: false }) : []),
    ...signs(text, bareAt, { dots: "words", isBare: true }),
    ...(hasSign ? signs(text, plainAt, { dots: "words", isBare: false }) : []),
  ];
}

interface Rule {
  readonly dots: "any" | "words" | "strict";
  readonly isBare: boolean;
}

function signs(text: string, sign: RegExp, rule: Rule): readonly FoundEmail[] {
  const found: FoundEmail[] = [];
  let count = 0;
  // matchAll would create a new pattern each time.
  sign.lastIndex = 0;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    if (++count > 200) break;
    const local = localBefore(text, match.index);
    if (!local || (rule.isBare && notLocals.test(local.text))) continue;
    const domain = domainAfter(text, match.index + match[0].length, rule.dots);
    if (!domain) continue;
    found.push({ local: local.text, domain: domain.text, start: local.start, end: domain.end });
  }
  return found;
}

function localBefore(text: string, end: number): { text: string; start: number } | undefined {
  let local = "";
  let at = end;
  // "first (dot) last": dots as words before the "@".
  for (let parts = 0; parts < 4; parts++) {
    const part = localEnd.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    if (part === undefined) break;
    local = part + local;
    at -= part.length;
    const dot = localDot.exec(text.slice(Math.max(0, at - 16), at))?.[0];
    if (dot === undefined || /\s/.test(dot[0]!) !== /\s/.test(dot.at(-1)!)) break;
    local = `.${local}`;
    at -= dot.length;
  }
  local = local.replace(/^\./, "");
  const before = text[at - 1] ?? " ";
  if (local === "" || /[\u00c0-\u024f@]/.test(before)) return undefined;
  return { text: local, start: at };
}

function domainAfter(
  text: string,
  start: number,
  dots: Rule["dots"],
): { text: string; end: number } | undefined {
  const forms = dots === "strict" ? [strictDot] : [bracketedDot, bareDot, plainDot];
  let domain = matchAt(label, text, start);
  if (domain === undefined) return undefined;
  let at = start + domain.length;
  let hasWordDot = false;
  for (let labels = 0; labels < 5; labels++) {
    const form = forms.find((one) => matchAt(one, text, at) !== undefined);
    if (!form) break;
    const dot = matchAt(form, text, at)!;
    const next = matchAt(label, text, at + dot.length);
    // After a domain, a full stop with a space ends the sentence.
    if (next === undefined || (form === plainDot && /\s/.test(dot) && labels > 0)) break;
    if (form !== plainDot && form !== strictDot) hasWordDot = true;
    domain += `.${next}`;
    at += dot.length + next.length;
  }
  if (!domain.includes(".") || (dots === "words" && !hasWordDot)) return undefined;
  return { text: domain, end: at };
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
