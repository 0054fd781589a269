import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { LoadedSettings } from "../load-settings.ts";
import { isSecret, type Secret } from "../secrets/secret.ts";

/**
 * For each key, a text that changes when the value changes. For a secret, it is an HMAC with a key
 * of this process.
 */
export type SettingsMarks = ReadonlyMap<string, string>;

export interface SettingsMarker {
  /** `isAsked`: run commands that print secrets now; otherwise they run at most once a minute. */
  read(loaded: LoadedSettings, options: { readonly isAsked: boolean }): Promise<SettingsMarks>;
}

/** A command may ask a password manager or a person. */
const commandEveryMs = 60_000;

/**
 * Finds out which settings changed, including secrets. Of a secret it keeps only an HMAC, whose key
 * no other process has.
 */
export function createSettingsMarker(clock: Clock): SettingsMarker {
  const key = randomBytes(32);
  const fromCommands = new Map<string, { readonly mark: string; readonly atMs: number }>();
  const digest = async (secret: Secret) =>
    createHmac("sha256", key)
      .update(await secret.reveal())
      .digest("hex");

  async function markOf(name: string, secret: Secret, isAsked: boolean): Promise<string> {
    if (secret.from !== "command") return digest(secret);
    const nowMs = clock.monotonicMs();
    const known = fromCommands.get(name);
    if (known && !isAsked && nowMs - known.atMs < commandEveryMs) return known.mark;
    const mark = await digest(secret);
    fromCommands.set(name, { mark, atMs: nowMs });
    return mark;
  }

  return {
    async read({ values }, { isAsked }) {
      const marks = new Map<string, string>();
      for (const { key: name, value } of values) {
        const mark = isSecret(value) ? await markOf(name, value, isAsked) : JSON.stringify(value);
        marks.set(name, mark ?? "");
      }
      return marks;
    },
  };
}

export const changedKeys = (before: SettingsMarks, after: SettingsMarks): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
