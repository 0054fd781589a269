/** A page as somebody's site really has it, and what a careful reader would note down from it. */
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
