import { inspect } from "node:util";

/**
 * A value that must not be shown. Printing, logging, inspecting or serialising it gives `***`;
 * only `reveal` gives the value, and it is read then, not when settings are loaded: a command
 * that asks a password manager runs when the password is needed and not for `config show`.
 */
export interface Secret {
  /** The value. Read once, then kept; a failed read is tried again by the next call. */
  reveal(): Promise<string>;
  /** Where it comes from: a command may be slow, or ask a person. */
  readonly from: SecretOrigin;
  toString(): string;
  toJSON(): string;
}

export type SecretOrigin = "text" | "env" | "file" | "command";

/** What is shown in place of anything secret. */
export const mask = "***";

const secrets = new WeakSet<object>();

export function createSecret(read: () => Promise<string>, from: SecretOrigin = "text"): Secret {
  let reading: Promise<string> | undefined;
  const reveal = () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  // The value lives in the closure alone, and no property is enumerable: copying, spreading or
  // inspecting the object (hidden properties included) has nothing to show.
  const secret = Object.defineProperties({} as Secret, {
    reveal: { value: reveal },
    from: { value: from },
    toString: { value: () => mask },
    toJSON: { value: () => mask },
    [inspect.custom]: { value: () => mask },
  });
  secrets.add(secret);
  return Object.freeze(secret);
}

export function isSecret(value: unknown): value is Secret {
  return typeof value === "object" && value !== null && secrets.has(value);
}
