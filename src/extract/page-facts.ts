/**
 * The facts of one page. Every value is clean: no control characters, no markup, limited in length
 * and number. Lists are ranked, best first, and contain each value once.
 */
export interface PageFacts {
  readonly url: string;
  /** The page was longer than `charsMax`, and only its beginning was read. */
  readonly isCut: boolean;
  /** The title of the page, never the company's name: titles say "Home" and "403 Forbidden". */
  readonly title?: string;
  readonly description?: string;
  /** ISO 639-1: as declared by the page, else guessed from its words. */
  readonly language?: string;
  /** The company's name, if the page states it: structured data, imprint, copyright line. */
  readonly name?: string;
  readonly emails: readonly EmailFact[];
  readonly phones: readonly PhoneFact[];
  readonly faxes: readonly PhoneFact[];
  readonly socials: readonly SocialFact[];
  /** Organizations and local businesses of schema.org; JSON-LD before microdata. */
  readonly organizations: readonly OrganizationFact[];
  readonly people: readonly PersonFact[];
  readonly services: readonly string[];
  readonly products: readonly string[];
  readonly tech: readonly string[];
  readonly keywords: readonly string[];
  readonly links: readonly LinkFact[];
  readonly canonicalUrl?: string;
  /** The target of a meta refresh. */
  readonly refreshUrl?: string;
  /** Words of `<meta name="robots">`, lower case: noindex, nofollow … */
  readonly robots: readonly string[];
  /** Almost nothing is readable before scripts have run. */
  readonly needsScripts: boolean;
  /**
   * The reason why this is not a company's page: domain for sale, parked, a server's default page.
   */
  readonly parked?: string;
  /** Why this is not the requested page: a bot check, a login or cookie wall, an error. */
  readonly blocked?: string;
}

export type EmailMethod =
  | "mailto" //     a link
  | "text" //       visible text of the page
  | "structured" // JSON-LD, microdata, JSON state
  | "attribute" //  in attributes, in parts or whole
  | "words" //      name [at] company [dot] com
  | "reversed" //   written backwards, shown forwards
  | "cloudflare" // data-cfemail
  | "script"; //    joined or decoded by a script

export interface EmailFact {
  /** Lower case, the domain in ASCII. */
  readonly value: string;
  readonly method: EmailMethod;
  readonly kind: "role" | "person";
  /** Who owns the domain: the site itself, a mail provider, or another party. */
  readonly owner: "own" | "provider" | "other";
  readonly label?: string;
  readonly url: string;
  readonly score: number;
}

export interface PhoneFact {
  /** E.164. */
  readonly value: string;
  readonly extension?: string;
  readonly country?: string;
  readonly method: "tel" | "text" | "structured";
  readonly label?: string;
  readonly url: string;
}

export interface SocialFact {
  readonly network: string;
  /** The profile's canonical address, without tracking parameters. */
  readonly url: string;
  readonly handle: string;
  readonly where: "structured" | LinkWhere;
}

export interface OrganizationFact {
  readonly types: readonly string[];
  readonly name?: string;
  readonly legalName?: string;
  readonly url?: string;
  readonly logo?: string;
  readonly description?: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly fax?: string;
  readonly address?: AddressFact;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly hours: readonly string[];
  readonly rating?: number;
  readonly reviews?: number;
  readonly sameAs: readonly string[];
  readonly vatId?: string;
  readonly priceRange?: string;
  readonly areasServed: readonly string[];
}

export interface AddressFact {
  readonly whole?: string;
  readonly street?: string;
  readonly city?: string;
  readonly zip?: string;
  readonly state?: string;
  /** As written: "DE", "Deutschland". */
  readonly country?: string;
}

export interface PersonFact {
  readonly name: string;
  readonly role?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly url: string;
}

export type LinkWhere = "header" | "footer" | "body";

export interface LinkFact {
  /** Absolute, without fragment; http and https only. */
  readonly href: string;
  readonly where: LinkWhere;
  readonly text: string;
  readonly rel: readonly string[];
}
