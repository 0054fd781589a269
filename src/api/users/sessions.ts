import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import type { Role } from "../contract/roles.ts";
import type { Scope } from "../contract/route.ts";
import { hashOf } from "./manage-users.ts";

/** The method of signing in. */
export type SignIn = "link" | "password" | "oidc";

export interface SessionOwner {
  readonly user: string;
  /**
   * Absent if the session was opened by a link of the data folder, for the person who runs the
   * server.
   */
  readonly role: Role | undefined;
  readonly scopes: readonly Scope[];
  readonly by: SignIn;
  /** For a user with a password: the session ends when the user's version changes. */
  readonly version?: string | undefined;
  readonly address: string;
  /** The user agent of the browser. */
  readonly agent: string;
}

export interface Session extends SessionOwner {
  /** For lists. The session's secret cannot be derived from it. */
  readonly id: string;
  readonly startedMs: number;
  readonly usedMs: number;
  /** When its owner last confirmed their identity. */
  readonly provedMs: number;
  /** Fires when the session has ended for any reason. */
  readonly ended: AbortSignal;
}

export interface SessionLimits {
  readonly idleMs: number;
  readonly lifeMs: number;
}

/**
 * The sessions of one server, in memory. The cookie holds a secret of 260 bits; only its hash is
 * kept here.
 */
export interface Sessions {
  /**
   * Returns the secret for the cookie. `provedMs`: when the owner confirmed their identity, if not
   * now.
   */
  open(owner: SessionOwner, provedMs?: number): string;
  /** Finds a session and counts as use. Undefined if there is none or it has ended. */
  find(secret: string): Session | undefined;
  /** The owner confirmed their identity again: the session continues with a new secret. */
  renew(id: string): string | undefined;
  list(): readonly Session[];
  end(id: string): boolean;
  endWhere(isOver: (session: Session) => boolean): void;
  /** Ends sessions that have expired. */
  sweep(): void;
}

const sessionsMax = 1_000;
/** A user who signs in repeatedly ends only their own sessions. */
const sessionsPerUserMax = 50;

interface Entry extends SessionOwner {
  readonly id: string;
  readonly startedMs: number;
  usedMs: number;
  provedMs: number;
  readonly controller: AbortController;
  readonly ended: AbortSignal;
}

export interface SessionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: SessionLimits;
}

export function createSessions({ clock, random, limits }: SessionsOptions): Sessions {
  const entries = new Map<string, Entry>();
  const end = (key: string) => {
    const entry = entries.get(key);
    entries.delete(key);
    entry?.controller.abort();
  };
  const isOver = ({ usedMs, startedMs }: Entry) => {
    const nowMs = clock.nowMs();
    return nowMs - usedMs > limits.idleMs || nowMs - startedMs > limits.lifeMs;
  };
  const add = (entry: Entry): string => {
    const secret = createId(random, 52);
    entries.set(hashOf(secret), entry);
    const own = [...entries].filter(([, one]) => one.user === entry.user && one.by === entry.by);
    for (const [key] of own.slice(0, Math.max(0, own.length - sessionsPerUserMax))) end(key);
    for (const key of entries.keys()) {
      if (entries.size <= sessionsMax) break;
      end(key);
    }
    return secret;
  };
  const keyOf = (id: string) => [...entries].find(([, entry]) => entry.id === id)?.[0];
  return {
    open(owner, provedMs) {
      const nowMs = clock.nowMs();
      const controller = new AbortController();
      const id = createId(random, 12);
      const { signal: ended } = controller;
      return add({ ...owner, id, startedMs: nowMs, usedMs: nowMs, provedMs: provedMs ?? nowMs, controller, ended }); // prettier-ignore
    },
    find(secret) {
      const key = hashOf(secret);
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (isOver(entry)) {
        end(key);
        return undefined;
      }
      entry.usedMs = clock.nowMs();
      return entry;
    },
    renew(id) {
      const key = keyOf(id);
      if (key === undefined) return undefined;
      const entry = entries.get(key)!;
      entries.delete(key);
      entry.provedMs = clock.nowMs();
      return add(entry);
    },
    list: () => [...entries.values()],
    end(id) {
      const key = keyOf(id);
      if (key !== undefined) end(key);
      return key !== undefined;
    },
    endWhere(test) {
      for (const [key, entry] of entries) if (test(entry)) end(key);
    },
    sweep() {
      for (const [key, entry] of entries) if (isOver(entry)) end(key);
    },
  };
}
