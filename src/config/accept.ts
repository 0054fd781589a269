import { parse } from "smol-toml";
import { assert } from "../base/app-error.ts";
import { definitionsByKey } from "./schema/definitions.ts";
import type { SettingEntry, Layer } from "./layer.ts";
import type { SettingProblem } from "./problem.ts";
import { secretAccepts, secretFileOf, secretForms, toSecret } from "./secrets/read-secret.ts";
import { createSecret, isSecret, mask } from "./secrets/secret.ts";
import { isSecretForm } from "./schema/setting-schemas.ts";
import { hostOfWebUrl, splitUrl } from "./schema/url.ts";
import { resolveUserPath, type UserFolders } from "./user-paths.ts";

/** A value that was validated by the schema. */
export interface Accepted {
  readonly value: unknown;
  readonly display: string;
  readonly source: string;
  /** A password that was written in an address; it is not valid for another address. */
  readonly isFromUrl?: boolean;
}

export interface AcceptedLayer {
  readonly values: ReadonlyMap<string, Accepted>;
  readonly problems: readonly SettingProblem[];
  /** Values that were accepted but should be written in another way. */
  readonly warnings: readonly SettingProblem[];
  readonly secretFiles: readonly SecretFile[];
}

/** A file that contains a secret, and the setting that names the file. */
export interface SecretFile {
  readonly file: string;
  readonly key: string;
  readonly where: string;
}

/** Checks all values of a layer, including values that a later layer overrides. */
export function acceptLayer(layer: Layer, user: UserFolders): AcceptedLayer {
  const values = new Map<string, Accepted>();
  const problems: SettingProblem[] = [...layer.problems];
  const warnings: SettingProblem[] = [];
  const secretFiles: SecretFile[] = [];
  const written = new Set(layer.entries.map(({ definition }) => definition.key));

  for (const entry of layer.entries) {
    const { definition, where, line, source } = entry;
    const reading = read(entry, user);
    const refuse = (text: string) =>
      problems.push({ where, text, ...(line === undefined ? {} : { line }) });
    if (reading.kind === "wrong") {
      refuse(`${definition.key} ${reading.text}`);
      continue;
    }
    const { value, display, password } = reading;
    const { key } = definition;
    if (entry.earlierName !== undefined) {
      const isTwice = layer.entries.some(
        (other) => other !== entry && other.definition === definition,
      );
      if (isTwice) refuse(`${entry.earlierName} is the earlier name of ${key}: keep one`);
      const name = line === undefined ? definition.variable : key;
      warnings.push({ where, text: `${entry.earlierName} is now called ${name}: rename it` });
    }
    values.set(key, { value, display, source });
    const file = isSecret(value)
      ? secretFileOf(entry.raw, { ...user, folder: entry.folder })
      : undefined;
    if (file !== undefined) secretFiles.push({ file, key, where });
    // A secret in a variable or a flag is the user's choice. A settings file is copied, shown and
    // committed.
    const plain = line === undefined ? undefined : plainSecret(entry, password);
    if (plain !== undefined) refuse(plain);
    if (password === undefined) continue;
    const { passwordKey } = definition;
    assert(passwordKey && definitionsByKey.has(passwordKey), `${definition.key}: no passwordKey`);
    if (written.has(passwordKey)) {
      refuse(
        `${definition.key} contains a password and ${passwordKey} is set too: keep one of them`,
      );
    }
    const secret = createSecret(async () => password);
    values.set(passwordKey, { value: secret, display: mask, source, isFromUrl: true });
  }
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { values, problems, warnings, secretFiles };
}

/** Why an address must not be in a settings file, as the end of "bucket.url …". */
export function addressFault(written: string): string | undefined {
  const split = splitUrl(written);
  if (split.kind === "wrong") return split.text;
  return split.password === undefined ? undefined : "contains a password in plain text";
}

/** Refuses a plain-text secret in a settings file, and says how to write it instead. */
function plainSecret(
  { definition, raw }: SettingEntry,
  password: string | undefined,
): string | undefined {
  const { key, form, passwordKey } = definition;
  if (password !== undefined) {
    return `${key} contains a password in plain text: remove it and set ${passwordKey} = ${secretForms}`;
  }
  return typeof raw === "string" && isSecretForm(form)
    ? `${key} contains a secret in plain text: write ${key} = ${secretForms}`
    : undefined;
}

type Reading =
  | {
      readonly kind: "ok";
      readonly value: unknown;
      readonly display: string;
      readonly password?: string;
    }
  | { readonly kind: "wrong"; readonly text: string };

function read(
  { definition, raw: given, where, folder, line }: SettingEntry,
  user: UserFolders,
): Reading {
  // A settings file must not hold the secret itself.
  const accepts = line === undefined ? secretAccepts : secretForms;
  const { key, form, schema } = definition;
  const raw = definition.isList ? asWords(given) : given;
  if (form === "secret") {
    const value = toSecret(raw, { ...user, name: `${key} (${where})`, folder });
    return value
      ? { kind: "ok", value, display: mask }
      : { kind: "wrong", text: `must be ${accepts}` };
  }
  if (form === "secretUrl") {
    const value = toSecret(raw, { ...user, name: `${key} (${where})`, folder });
    const shown = typeof raw === "string" ? hostOfWebUrl(raw) : mask;
    if (value && shown !== undefined) return { kind: "ok", value, display: shown };
    return { kind: "wrong", text: `must be an http:// or https:// URL: ${accepts}` };
  }
  const { data, error } = schema.safeParse(raw);
  if (error) {
    return { kind: "wrong", text: `must be ${error.issues[0]!.message}, not ${shown(raw)}` };
  }
  if (form === "url") {
    const split = splitUrl(data as string);
    if (split.kind === "wrong") return split;
    const { url: value, display, password } = split;
    return { kind: "ok", value, display, ...(password === undefined ? {} : { password }) };
  }
  const value = form === "folder" ? resolveUserPath(data as string, { ...user, folder }) : data;
  return { kind: "ok", value, display: display(value) };
}

/**
 * A list is stored as words separated by commas. In a file, a variable or a flag it may be written
 * this way or as a TOML list. The schema refuses anything else.
 */
function asWords(given: unknown): unknown {
  if (isTextList(given)) return given.join(",");
  if (typeof given !== "string") return given;
  const text = given.trim();
  if (!text.startsWith("[")) return text.replaceAll(/\s*,\s*/g, ",");
  try {
    const { list } = parse(`list = ${text}`);
    return isTextList(list) ? list.join(",") : given;
  } catch {
    return given;
  }
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string" && !one.includes(","));

/** For values that are not secret. */
export function display(value: unknown): string {
  if (value === undefined) return "(not set)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shown(raw: unknown): string {
  if (Array.isArray(raw)) return "a list";
  if (typeof raw === "object") return raw instanceof Date ? "a date" : "a table";
  return JSON.stringify(raw).slice(0, 60);
}
