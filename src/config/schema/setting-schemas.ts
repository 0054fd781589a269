import { contactForm, isContactAddress } from "../../base/text/contact-address.ts";
import * as z from "zod";
import { parseUrl } from "../../base/text/parse-url.ts";

/** Properties of a setting in addition to its type. */
export const settingMeta = z.registry<SettingMeta>();

export interface SettingMeta {
  readonly description: string;
  /**
   * How the written text is converted and shown; absent for plain strings and numbers. A
   * "secretUrl" is a web address that may contain a token anywhere, so only its host is shown.
   */
  readonly form?: "folder" | "url" | "secret" | "secretUrl";
  /** May also be written as a list: `["a", "b"]` is the same as `"a,b"`. */
  readonly isList?: true;
  /** If the value is a URL that contains a password, the password is moved to this setting. */
  readonly passwordKey?: string;
  /** The key in the previous version. It still works, with a warning. */
  readonly earlierKey?: string;
}

/** True if values of this form must not be shown in full. */
export const isSecretForm = (form: SettingMeta["form"]): boolean =>
  form === "secret" || form === "secretUrl";

export function text(accepts: string) {
  return z.string({ error: accepts }).min(1, { error: `${accepts}, not empty` });
}

export function contact() {
  return text(contactForm).refine(isContactAddress, { error: contactForm });
}

export function choice<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, { error: `one of ${values.join(", ")}` });
}

/** Words separated by commas, or empty. */
export function list(values: readonly string[]) {
  const error = `one or more of ${values.join(", ")}, separated by commas`;
  const isKnown = (words: string) =>
    words === "" || words.split(",").every((word) => values.includes(word));
  return z.string({ error }).refine(isKnown, { error });
}

export function nameOfNode() {
  const error = "a name of letters, digits, '.', '_' and '-', such as pi-3";
  return z.string({ error }).regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i, { error });
}

/** `https://forager.example`, without a path. */
export function webOrigin() {
  const error = "a web address without a path, such as https://forager.example";
  const isOrigin = (text: string) => {
    const url = parseUrl(text);
    return (
      url !== undefined && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, "")
    );
  };
  return z.string({ error }).refine(isOrigin, { error });
}

export function interruptionSource() {
  const error = "aws, gcp, azure, auto, off or file:PATH with an absolute path";
  return z.string({ error }).regex(/^(?:aws|gcp|azure|auto|off|file:\/.+)$/, { error });
}

export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A path on another machine, so it is not resolved here. */
export function absolutePath() {
  const error = "an absolute path such as /opt/forager";
  return z.string({ error }).regex(/^(?:\/[\w.+-]+)+$/, { error });
}

/** A command line for a shell. */
export function commandLine() {
  const error = "a command on one line";
  return z.string({ error }).regex(/^[^\r\n\0]{1,2000}$/, { error });
}
