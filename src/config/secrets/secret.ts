import { inspect } from "node:util";

/**
 * A value that must not be shown. Printing, logging, inspecting or serializing it gives `***`; only
 * `reveal` gives the value. The value is read by `reveal`, not when settings are loaded, so a
 * command that asks a password manager runs only when the password is needed.
 */
export interface Secret {
  /** The value. It is read once and then kept; after a failure, the next call reads it again. */
  reveal(): Promise<string>;
  /** The source of the secret: a command may be slow, or ask a person. */
  readonly from: SecretOrigin;
  toString(): string;
  toJSON(): string;
}

export type SecretOrigin = "text" | "env" | "file" | "command";

/** Shown in place of all secrets. */
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
  // Only the closure has the value, and no property is enumerable: copying, spreading or inspecting
  // the object (including hidden properties) shows nothing.
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
