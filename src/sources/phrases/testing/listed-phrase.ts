/** A phrase as in a campaign, and tags, one of which the matcher must put first. */
export interface ListedPhrase {
  readonly phrase: string;
  readonly lang: string;
  readonly right: readonly string[];
}
