import { createHash } from "node:crypto";
import type { FieldView } from "../../ledger/index.ts";
import { textsIn } from "./texts-in.ts";

/**
 * What DNS says about the domain of an address. No mail is ever sent to check it.
 * - `ok-domain`: the domain accepts mail;
 * - `no-mail`: it does not, or there is no such domain;
 * - `disposable`: addresses of this domain are thrown away after minutes;
 * - `malformed`: no such domain can exist;
 * - `unknown`: DNS gave no answer.
 */
export const emailStatuses = [
  "ok-domain",
  "no-mail",
  "disposable",
  "malformed",
  "unknown",
] as const;
export type EmailStatusName = (typeof emailStatuses)[number];

export interface EmailStatus {
  readonly status: EmailStatusName;
  /**
   * `mx`, `address-only`, `null-mx`, `no-records`, `no-domain`, `list`, or why DNS gave no answer.
   */
  readonly because?: string;
  /** `role` (info@) or `person`. */
  readonly kind?: string;
  /** When DNS was queried, ISO 8601. */
  readonly at: string;
}

export const emailStatusPrefix = "emailStatus/";

/** Uses a hash, so that no second copy of an address remains after it was removed. */
export const emailStatusField = (address: string): string =>
  emailStatusPrefix + createHash("sha256").update(address).digest("hex").slice(0, 32);

/** Undefined if it is not a known status, for example one of a newer version. */
export function emailStatusOf(
  field: Pick<FieldView, "value"> | undefined,
): EmailStatus | undefined {
  const { status, because, kind, at } = textsIn(field?.value, ["status", "because", "kind", "at"]);
  if (at === undefined || !emailStatuses.includes(status as EmailStatusName)) return undefined;
  return {
    status: status as EmailStatusName,
    ...(because !== undefined && { because }),
    ...(kind !== undefined && { kind }),
    at,
  };
}
