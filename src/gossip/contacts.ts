import type { Clock } from "../base/clock.ts";
import { limits } from "./limits.ts";
import type { How } from "./peers.ts";

/** Where somebody may be: what discovery found, and where peers were. */
interface Contact {
  readonly address: string;
  how: How;
  node: string | undefined;
  metMs: number;
  tries: number;
  triedMs: number;
  nextMs: number;
}

/**
 * Addresses to greet until somebody is there: at once, then less and less often. A static one is
 * kept for good, others until they were not met again for `forgetMs`. At most `contactsMax`.
 */
export interface Contacts {
  meet(how: How, address: string, node?: string): void;
  /** This node spoke from there. */
  learn(address: string, node: string): void;
  howOf(address: string): How | undefined;
  /** Those whose turn it is. */
  due(isThere: (address: string, node: string | undefined) => boolean): readonly string[];
  forgetOld(): void;
  size(): number;
}

export function createContacts({ clock }: { readonly clock: Clock }): Contacts {
  const contacts = new Map<string, Contact>();
  const strength: Record<How, number> = { static: 4, mdns: 3, bucket: 2, told: 1, heard: 0 };

  const isOld = ({ how, metMs }: Contact) =>
    how !== "static" && clock.monotonicMs() - metMs > limits.forgetMs;

  const makeRoom = (): boolean => {
    if (contacts.size < limits.contactsMax) return true;
    for (const contact of contacts.values()) {
      if (contact.how === "static") continue;
      contacts.delete(contact.address);
      return true;
    }
    return false;
  };

  return {
    meet(how, address, node) {
      const nowMs = clock.monotonicMs();
      const known = contacts.get(address);
      if (known) {
        if (strength[how] >= strength[known.how]) {
          known.how = how;
          known.node = node ?? known.node;
        }
        known.metMs = nowMs;
        // Found anew: it may just have come back.
        known.nextMs = Math.min(known.nextMs, known.triedMs + limits.helloMsMin);
        return;
      }
      if (!makeRoom()) return;
      const times = { metMs: nowMs, triedMs: nowMs - limits.helloMsMin, nextMs: nowMs };
      contacts.set(address, { address, how, node, tries: 0, ...times });
    },
    learn(address, node) {
      const known = contacts.get(address);
      if (known) known.node = node;
    },
    howOf: (address) => contacts.get(address)?.how,
    due(isThere) {
      const nowMs = clock.monotonicMs();
      const due: string[] = [];
      for (const contact of contacts.values()) {
        if (isThere(contact.address, contact.node)) contact.tries = 0;
        else if (contact.nextMs <= nowMs) {
          due.push(contact.address);
          const waitMs = limits.helloMsMin * 2 ** Math.min(contact.tries, 8);
          contact.nextMs = nowMs + Math.min(waitMs, limits.helloMsMax);
          contact.triedMs = nowMs;
          contact.tries += 1;
        }
      }
      return due;
    },
    forgetOld() {
      for (const contact of contacts.values()) {
        if (isOld(contact)) contacts.delete(contact.address);
      }
    },
    size: () => contacts.size,
  };
}
