import type { Company } from "./company.ts";
import { isVisitRead } from "./visit-record.ts";

/** The reason why no e-mail address of a company is known. */
export interface MissingEmail {
  readonly reason: MissingEmailReason;
  /** The detail from a visit: `dns`, `http_403`. */
  readonly detail?: string;
}

const texts = {
  no_website: "no website is known",
  not_visited: "the website was not visited yet",
  no_email_on_site: "the website was read and shows no address",
  needs_scripts: "the website is empty without its scripts",
  robots: "robots.txt does not allow the visit",
  blocked: "the website refuses programs",
  parked: "the domain has no website of its own",
  unreachable: "the website could not be read",
} as const;

export type MissingEmailReason = keyof typeof texts;

/** Undefined if an address is known. */
export function missingEmailOf({
  emails,
  texts: { website, domain },
  visit,
}: Pick<Company, "emails" | "texts" | "visit">): MissingEmail | undefined {
  if (emails.length > 0) return undefined;
  if (!visit) {
    const hasSite = website !== undefined || domain !== undefined;
    return { reason: hasSite ? "not_visited" : "no_website" };
  }
  const { outcome, reason } = visit;
  if (isVisitRead(visit)) return { reason: "no_email_on_site" };
  if (reason === "needs_scripts") return { reason };
  const known = outcome in texts ? (outcome as MissingEmailReason) : "unreachable";
  return { reason: known, ...(reason !== undefined && reason !== known && { detail: reason }) };
}

export const missingEmailText = ({ reason, detail }: MissingEmail): string =>
  detail === undefined ? texts[reason] : `${texts[reason]} (${detail})`;
