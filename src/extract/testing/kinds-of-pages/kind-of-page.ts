/** A realistic page, and the facts that a careful reader would take from it. */
export interface KindOfPage {
  readonly kind: string;
  readonly url: string;
  readonly html: string;
  readonly emails: readonly string[];
  /** E.164 */
  readonly phones: readonly string[];
  readonly faxes?: readonly string[];
  readonly socials: readonly string[];
}
