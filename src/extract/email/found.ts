/** Something shaped like an address, and where in the text it stood. */
export interface FoundEmail {
  readonly local: string;
  readonly domain: string;
  readonly start: number;
  readonly end: number;
}
