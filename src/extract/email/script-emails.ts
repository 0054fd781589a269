import { withoutEntities } from "../text/entities.ts";
import { rot13, unshifted } from "./ciphers.ts";
import { findAddresses } from "./find-addresses.ts";
import { foldScript } from "./fold-script.ts";
import type { FoundEmail } from "./found.ts";
import { mailtoText } from "./mailto.ts";
import { findWordForms } from "./word-forms.ts";

/** Longer scripts are libraries: facts about the page's owner are in short ones. */
const scriptCharsMax = 64_000;

export interface ScriptAddress extends Pick<FoundEmail, "local" | "domain"> {
  /**
   * It was hidden on purpose, so it is meant for readers. Otherwise it is just a string in the
   * script.
   */
  readonly isMade: boolean;
}

/** Addresses that a script, or a script in an attribute, would show. */
export function scriptAddresses(source: string): readonly ScriptAddress[] {
  if (source.length > scriptCharsMax || !worthReading.test(source)) return [];
  const found: ScriptAddress[] = [];
  const turnsBy13 = /\b13\b/.test(source) && /replace|charCodeAt|fromCharCode|rot/i.test(source);
  for (const { text, isMade } of foldScript(source)) {
    const plain = withoutEntities(text);
    found.push(...addressesIn(plain).map((one) => ({ ...one, isMade: isMade || plain !== text })));
    const turned = turnsBy13 || /znvygb:/i.test(plain) ? rot13(plain) : "";
    if (turned) found.push(...addressesIn(turned).map((one) => ({ ...one, isMade: true })));
  }
  for (const [, , shifted] of source.matchAll(
    /(?:UnCryptMailto|DeCryptX|decryptMail)\w{0,20}\s{0,5}\(\s{0,5}(['"]|%27)([^'"()]{8,400})\1/gi,
  )) {
    const plain = unshifted(shifted!.replaceAll("\\/", "/"));
    if (plain) found.push(...addressesIn(plain).map((one) => ({ ...one, isMade: true })));
  }
  found.push(...inArguments(source));
  return found;
}

const worthReading =
  /@|mailto|znvygb|atob|fromCharCode|unescape|reverse|%40|\\x40|\\u0040|&#(?:64|x40);|mail|spam|Crypt|\[at\]|\(at\)/i;

function addressesIn(text: string): readonly Pick<FoundEmail, "local" | "domain">[] {
  if (!text.includes("@") && !/%40|\bat\b/i.test(text)) return [];
  // Markup that a script writes: use only the text between tags, and mailto links.
  const links = [...text.matchAll(/mailto:([^"'<>\s\\]{3,300})/gi)].flatMap(([whole]) => {
    const to = mailtoText(whole);
    return to === undefined ? [] : [...findAddresses(to), ...findWordForms(to)];
  });
  const shown = text.replace(/<[^<>]{0,500}>/g, " ");
  return [...links, ...findAddresses(shown), ...findWordForms(shown)];
}

/** `writeMail("info", "company.com")`, `nospam('info', 'company', 'com')` */
function inArguments(source: string): readonly ScriptAddress[] {
  const calls = source.matchAll(
    /(?:mail|spam|addr|scrambl|cloak|contact|protect)[\w$]{0,40}\s{0,5}\(\s{0,5}(['"])([\w.+-]{1,64})\1\s{0,5},\s{0,5}(['"])([\w.-]{1,100})\3(?:\s{0,5},\s{0,5}(['"])([a-z.]{2,12})\5)?/gi,
  );
  return [...calls].slice(0, 50).flatMap((match) => {
    const [, , local = "", , domain = "", , suffix] = match;
    const host =
      suffix === undefined || domain.endsWith(`.${suffix}`)
        ? domain
        : `${domain}.${suffix.replace(/^\./, "")}`;
    return host.includes(".") ? [{ local, domain: host, isMade: true }] : [];
  });
}
