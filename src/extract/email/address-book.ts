import type { EmailFact, EmailMethod } from "../page-facts.ts";
import { checkAddress, type CheckedAddress } from "./check-address.ts";
import type { FoundEmail } from "./found.ts";
import { rankEmail } from "./rank-email.ts";

/** The addresses of one page, each once, with the strongest method by which it was found. */
export interface AddressBook {
  add(found: Pick<FoundEmail, "local" | "domain">, sighting: Sighting): string | undefined;
  /** Adds what the surrounding text says, once that is known. */
  remark(value: string, remark: Omit<Sighting, "method">): void;
  ranked(): readonly EmailFact[];
}

export interface Sighting {
  readonly method: EmailMethod;
  readonly label?: string | undefined;
  /** It is next to words such as "web design by". */
  readonly isCredit?: boolean | undefined;
}

export interface AddressBookOptions {
  readonly url: string;
  /** The registered domain of the page. */
  readonly site: string | undefined;
}

const entriesMax = 200;

/** How likely an address that was found by this method is meant for visitors. */
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
  isCredit: boolean | undefined;
}

export function createAddressBook({ url, site }: AddressBookOptions): AddressBook {
  const entries = new Map<string, Entry>();

  return {
    add({ local, domain }, { method, label, isCredit }) {
      const address = checkAddress(local, domain, site);
      if (!address) return undefined;
      const entry = entries.get(address.value);
      if (entry) {
        if (weights[method] > weights[entry.method]) entry.method = method;
        note(entry, { label, isCredit });
      } else if (entries.size < entriesMax) {
        entries.set(address.value, { ...address, method, label, isCredit });
      }
      return address.value;
    },
    remark(value, remark) {
      const entry = entries.get(value);
      if (entry) note(entry, remark);
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

/** One sighting without such words makes it the company's own address. */
function note(entry: Entry, { label, isCredit }: Omit<Sighting, "method">): void {
  entry.label ??= label;
  if (isCredit !== undefined) entry.isCredit = (entry.isCredit ?? true) && isCredit;
}
