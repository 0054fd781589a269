/** Text with the shape of an address, and its position. */
export interface FoundEmail {
  readonly local: string;
  readonly domain: string;
  readonly start: number;
  readonly end: number;
}
