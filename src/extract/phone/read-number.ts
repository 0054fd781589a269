import {
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
} from "libphonenumber-js/max";

export interface ReadNumber {
  /** E.164. */
  readonly value: string;
  readonly country?: string;
  readonly extension?: string;
}

/** Parses a number as written; undefined if it is not a valid telephone number. */
export function readNumber(text: string, country: CountryCode | undefined): ReadNumber | undefined {
  if (text.length > 60) return undefined;
  const plain = text
    .normalize("NFKC")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    // "+49 (0) 89": the zero is only dialled inside the country.
    .replace(/^(\s*(?:\+|00)\s*[1-9]\d{0,2}[\s.-]*)\(0\)/, "$1")
    .replace(/^\s*\(\s*(?:\+|00)\s*(\d{1,3})\s*\)/, "+$1 ")
    .replace(/^\s*00(?=[1-9])/, "+")
    .replace(/^\s*\+\s+/, "+");
  let number: PhoneNumber | undefined;
  try {
    number = parsePhoneNumberFromString(plain, country);
  } catch {
    return undefined;
  }
  if (!number?.isValid() || number.number.length > 16) return undefined;
  if (/^\+\d{1,3}0{6,}$|(\d)\1{7,}/.test(number.number)) return undefined;
  return {
    value: number.number,
    ...(number.country !== undefined && { country: number.country }),
    ...(number.ext && /^\d{1,6}$/.test(number.ext) && { extension: number.ext }),
  };
}

/** Signs of a telephone number without a label: brackets, or groups and a leading zero. */
export function looksLikePhone(text: string, country: CountryCode): boolean {
  const body = text.trim();
  if (isDateLike(body) || /^\d{1,3}\.\d{4,}/.test(body)) return false;
  if (/^(?:\+|00[1-9])/.test(body)) return true;
  const groups = body.split(/[^\d]+/).filter(Boolean);
  if (groups.length < 2) return false;
  if (/^\(?0|^\(\d{2,4}\)/.test(body) && country !== "US") return true;
  if (country === "US" || country === "CA")
    return /^(?:1[-. ])?\(?\d{3}\)?[-. /]{1,2}\d{3}[-. ]\d{4}$/.test(body);
  // Countries that dial without a zero: Spain, Italian mobiles, Poland, Portugal, the Nordic
  // countries.
  return groups.length >= 3 && groups.every((group) => group.length <= 4) && !body.includes(".");
}

const isDateLike = (text: string): boolean =>
  /^(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d{2}|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2})/.test(text) ||
  /^(?:19|20)\d{2}\s?-\s?(?:19|20)\d{2}$/.test(text);
