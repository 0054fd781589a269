import { scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createKeyedLimiter } from "../../base/keyed-limiter.ts";
import type { Random } from "../../base/random.ts";
import { ProblemError } from "../problems.ts";
import { createWaitingLine, type Asker } from "./waiting-line.ts";

/** The cost of scrypt: memory is 128 · N · r bytes, time is proportional to N · r · p. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/**
 * 32 MiB and about a quarter of a second: one of the three configurations that OWASP ASVS 5.0
 * accepts.
 */
export const passwordCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };

/** Hashing runs on the four threads that also do file I/O, and each hash needs its memory. */
const atOnceMax = 2;
/** Known users wait in their own line, so a flood of unknown callers cannot fill it. */
const waitingMaxOfKnown = 40;
/** Unknown callers wait in a separate line. */
const waitingMax = 20;

export interface PasswordOptions {
  readonly cost?: PasswordCost;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Passwords {
  /** Returns the text to store: `scrypt$N$r$p$salt$hash`. */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time. Without a stored text it does the same work and returns false.
   * Throws `sign_in_busy` if too many wait already. `stranger`: the caller, if the user has not
   * signed in from there before; known users do not wait for unknown callers.
   */
  verify(check: {
    readonly password: string;
    readonly stored: string | undefined;
    readonly stranger?: Asker | undefined;
  }): Promise<PasswordAnswer>;
}

export interface PasswordAnswer {
  readonly isRight: boolean;
  /** True if it was hashed with another cost than new passwords. */
  readonly isOutdated: boolean;
}

const saltBytes = 16;
const hashBytes = 32;

export function createPasswords({
  cost = passwordCost,
  clock,
  random,
}: PasswordOptions): Passwords {
  const limiter = createKeyedLimiter({ limit: atOnceMax, keysMax: 1, idleMs: 0, clock });

  const line = createWaitingLine(waitingMax);
  let strangers = 0;
  const next = () => {
    if (strangers >= atOnceMax || line.size() === 0) return;
    strangers += 1;
    line.next();
  };

  const derive = async (password: string, salt: Uint8Array, used: PasswordCost) => {
    if (limiter.metrics().waiting >= waitingMaxOfKnown) throw signInBusy();
    const release = await limiter.acquire("scrypt");
    try {
      return await runScrypt(password, salt, used);
    } finally {
      release();
    }
  };
  const deriveInTurn = async (stranger: Asker, ...given: Parameters<typeof derive>) => {
    const turn = line.join(stranger);
    next();
    if (!(await turn)) throw signInBusy();
    try {
      return await derive(...given);
    } finally {
      strangers -= 1;
      next();
    }
  };

  return {
    async hash(password) {
      const salt = random.bytes(saltBytes);
      const hash = await derive(password, salt, cost);
      const texts = [salt, hash].map((bytes) => Buffer.from(bytes).toString("base64url"));
      return ["scrypt", cost.N, cost.r, cost.p, ...texts].join("$");
    },
    async verify({ password, stored, stranger }) {
      const parts = stored === undefined ? undefined : parse(stored);
      const used = parts?.cost ?? cost;
      const salt = parts?.salt ?? random.bytes(saltBytes);
      const expected = parts?.hash ?? random.bytes(hashBytes);
      const hash = await (stranger ? deriveInTurn(stranger, password, salt, used) : derive(password, salt, used)); // prettier-ignore
      const isEqual = timingSafeEqual(hash, expected);
      const isOutdated = used.N !== cost.N || used.r !== cost.r || used.p !== cost.p;
      return { isRight: isEqual && parts !== undefined, isOutdated };
    },
  };
}

/** The sign-in pages recognise this code and repeat the attempt. */
export const signInBusy = () =>
  new ProblemError(503, "sign_in_busy", "too many people sign in at this moment: try again in a second", undefined, 1); // prettier-ignore

/** Normalizes to NFC, because the same letters can be typed in several ways. */
function runScrypt(password: string, salt: Uint8Array, { N, r, p }: PasswordCost): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + 128 * r * p + 1_048_576 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, hashBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

interface StoredPassword {
  readonly cost: PasswordCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** The stored text may come from elsewhere: limits keep one login from using all memory. */
function parse(stored: string): StoredPassword {
  const [, N, r, p, salt, hash] =
    /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/.exec(stored) ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  if (hash === undefined || cost.N > 2 ** 18 || cost.r > 16 || cost.p > 8) {
    throw new AppError("corrupt", "password_corrupt", "a stored password has an unknown form");
  }
  return {
    cost,
    salt: Buffer.from(salt!, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
}
