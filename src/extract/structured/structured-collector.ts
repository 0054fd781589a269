import type { OrganizationFact } from "../page-facts.ts";
import type { Collector } from "../page/page-events.ts";
import { readJsonLd } from "./json-ld.ts";
import { createMicrodataCollector } from "./microdata.ts";
import { isOrganization, organizationOf } from "./organization.ts";
import { withInner, type StructuredNode } from "./structured-node.ts";
import { parseTolerant } from "./tolerant-json.ts";

export interface Structured {
  readonly nodes: readonly StructuredNode[];
  readonly organizations: readonly OrganizationFact[];
  /** Values under keys such as "email" in the initial state of a script. */
  readonly stateEmails: readonly string[];
}

export interface StructuredCollector extends Collector {
  finish(): Structured;
}

const organizationsMax = 20;

export function createStructuredCollector(): StructuredCollector {
  const jsonLd: StructuredNode[] = [];
  const stateEmails: string[] = [];
  const microdata = createMicrodataCollector();

  return {
    ...microdata,
    script({ type, id, text }) {
      if (type.includes("ld+json")) jsonLd.push(...readJsonLd(text));
      else if (/^application\/(?:[\w.+-]{0,40}\+)?json$/.test(type) || id === "__NEXT_DATA__") {
        if (/mail/i.test(text)) collectEmails(parseTolerant(text), stateEmails);
      }
    },
    finish() {
      const nodes = [...jsonLd, ...microdata.finish()].flatMap((node) => withInner(node));
      const organizations = nodes
        .filter(isOrganization)
        .slice(0, organizationsMax)
        .map(organizationOf);
      return { nodes, organizations: best(organizations), stateEmails };
    },
  };
}

/** The most detailed one comes first: publishers and partners are only mentioned. */
const best = (all: readonly OrganizationFact[]): readonly OrganizationFact[] =>
  [...all].sort((a, b) => richness(b) - richness(a));

const richness = (one: OrganizationFact): number =>
  (one.address ? 4 : 0) +
  (one.phones.length > 0 ? 3 : 0) +
  (one.emails.length > 0 ? 3 : 0) +
  (one.name ? 1 : 0) +
  (one.sameAs.length > 0 ? 1 : 0);

function collectEmails(json: unknown, into: string[]): void {
  const open: unknown[] = [json];
  for (let steps = 0; open.length > 0 && steps < 20_000 && into.length < 50; steps++) {
    const one = open.pop();
    if (typeof one !== "object" || one === null) continue;
    for (const [key, value] of Object.entries(one)) {
      if (typeof value === "string") {
        if (/^(?:\w{0,20}[_-]?)?e?-?mail(?:address|_address)?$/i.test(key) && value.length < 300)
          into.push(value);
      } else open.push(value);
    }
  }
}
