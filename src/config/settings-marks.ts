import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { LoadedSettings } from "./load-settings.ts";
import { isSecret, type Secret } from "./secret.ts";

/** By key, a text that differs when the value differs. Of a secret it is an HMAC under a key of this process. */
export type SettingsMarks = ReadonlyMap<string, string>;

export interface SettingsMarker {
  /** `isAsked`: runs commands that print secrets now; otherwise at most once a minute. */
  read(loaded: LoadedSettings, options: { readonly isAsked: boolean }): Promise<SettingsMarks>;
}

/** A command may ask a password manager or a person. */
const commandEveryMs = 60_000;

/**
 * Finds out which settings changed, secrets included. Of a secret only a digest is kept, under a key
 * that no other process has.
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
