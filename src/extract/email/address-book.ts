import type { EmailFact, EmailMethod } from "../page-facts.ts";
import { checkAddress, type CheckedAddress } from "./check-address.ts";
import type { Found } from "./found.ts";
import { rankEmail } from "./rank-email.ts";

/** The addresses of one page, each once, by the strongest way it was found. */
export interface AddressBook {
  add(found: Pick<Found, "local" | "domain">, sighting: Sighting): string | undefined;
  /** A label for an address that came without. */
  label(value: string, label: string): void;
  ranked(): readonly EmailFact[];
}

export interface Sighting {
  readonly method: EmailMethod;
  readonly label?: string | undefined;
  /** Beside words such as "web design by". */
  readonly isCredit?: boolean;
}

export interface AddressBookOptions {
  readonly url: string;
  /** The registered domain of the page. */
  readonly site: string | undefined;
}

const entriesMax = 200;

/** How much a way of finding says about the address being meant for visitors. */
export const weights: Readonly<Record<EmailMethod, number>> = {
  mailto: 60,
  cloudflare: 55,
  attribute: 40,
  structured: 35,
  words: 25,
  text: 20,
  reversed: 20,
  script: 15,
};

interface Entry extends CheckedAddress {
  method: EmailMethod;
  label: string | undefined;
  isCredit: boolean;
}

export function createAddressBook({ url, site }: AddressBookOptions): AddressBook {
  const entries = new Map<string, Entry>();

  return {
    add({ local, domain }, { method, label, isCredit = false }) {
      const address = checkAddress(local, domain, site);
      if (!address) return undefined;
      const entry = entries.get(address.value);
      if (entry) {
        if (weights[method] > weights[entry.method]) entry.method = method;
        entry.label ??= label;
        entry.isCredit &&= isCredit;
      } else if (entries.size < entriesMax) {
        entries.set(address.value, { ...address, method, label, isCredit });
      }
      return address.value;
    },
    label(value, label) {
      const entry = entries.get(value);
      if (entry) entry.label ??= label;
    },
    ranked() {
      const facts = [...entries.values()].map((entry): EmailFact => {
        const { kind, owner, score } = rankEmail(entry, { site, weight: weights[entry.method] });
        const { value, method, label } = entry;
        return { value, method, kind, owner, ...(label !== undefined && { label }), url, score };
      });
      return facts.sort((a, b) => b.score - a.score || (a.value < b.value ? -1 : 1));
    },
  };
}
