/** A phrase as a campaign would have it, and the tags of which one must be the matcher's first. */
export interface ListedPhrase {
  readonly phrase: string;
  readonly lang: string;
  readonly right: readonly string[];
}
