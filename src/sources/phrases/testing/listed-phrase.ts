/** A phrase as in a campaign, and the tags of which the matcher must put one first. */
export interface ListedPhrase {
  readonly phrase: string;
  readonly lang: string;
  readonly right: readonly string[];
}
