import { folded } from "../text/clean-text.ts";
import { trimChars } from "../text/trim-chars.ts";

/** The part of a mailto link that contains addresses, or undefined for other links. */
export function mailtoText(href: string): string | undefined {
  const match = /^\s{0,20}(?:https?:\/{1,2})?mailto\s{0,5}(?::|%3a)/i.exec(href);
  if (!match) return undefined;
  const rest = href.slice(match[0].length, 4_000).replace(/^\s{0,20}(?:mailto:|\/\/)/i, "");
  const [to, query = ""] = splitAt(rest, "?");
  const more = query
    .split("&")
    .map((pair) => splitAt(pair, "="))
    .filter(([key]) => /^(?:amp;)?(?:to|cc)$/i.test(key!))
    .map(([, value]) => value ?? "");
  return [to, ...more].map((part) => decoded(part).replace(/[,;<>"]/g, " ")).join(" ");
}

/** Decodes percent-encoding, up to twice; invalid codes are decoded one by one. */
export function decoded(text: string): string {
  let plain = text;
  for (let times = 0; times < 2 && /%[0-9a-f]{2}/i.test(plain); times++) {
    try {
      plain = decodeURIComponent(plain);
    } catch {
      plain = plain.replace(/%(2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    }
  }
  return plain;
}

function splitAt(text: string, sign: string): readonly [string, string?] {
  const at = text.indexOf(sign);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The label of an address: a link's text, or the words before it; undefined if there is neither.
 */
export function labelOf(text: string): string | undefined {
  const words = text.includes("@") ? text.replace(/\S{1,64}@\S{1,190}/g, " ") : text;
  const bare = trimChars(words.replace(/\s+/g, " "), labelEnds);
  if (bare.length < 2 || bare.length > 60 || !/\p{L}/u.test(bare)) return undefined;
  return generic.test(folded(bare)) ? undefined : bare;
}

const labelEnds = { start: /[\s:;,.|/•·–—-]/, end: /[\s:;,.|/•·–—(<-]/ };

/** Labels that say nothing more than "email". */
const generic =
  /^(?:e-?mail|e-?post|mail|courriel|correo(?: electronico)?|posta(?: elettronica)?|m|e|at|email us|mail us|send (?:us )?(?:an )?e?-?mail|e-?mail(?: an)?(?: uns)?|schreiben sie uns|write (?:to )?us|contact(?: us)?|kontakt|contacto|contatti|contatto|nous contacter|click here|hier|here|ici|aqui|qui|e-?mail-?(?:adresse|address)|adresse e-?mail|indirizzo e-?mail)$/;
