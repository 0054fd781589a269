/** A fact about a company, as records name their fields; elements such as `phone/+4989…` too. */
export interface CompanyField {
  readonly field: string;
  readonly value: unknown;
}

export interface FoundCompany {
  /** Who says so: `place:osm/node/1`. */
  readonly source: string;
  readonly name: string;
  /** Natural keys, the strongest first; a company is looked for by each. */
  readonly place: string | undefined;
  readonly domain: string | undefined;
  readonly fields: readonly CompanyField[];
  /** Written when the company is made, and never changed by this. */
  readonly firstFields: readonly CompanyField[];
}

/**
 * What campaigns need of records, and no more. Safe to repeat: what changes nothing is not written,
 * and one place makes one company, also where two workers have it at once.
 */
export interface CompanyWriter {
  /** In their order, each knowing those before it; with few syncs. */
  putAll(found: readonly FoundCompany[]): Promise<readonly PutCompany[]>;
}

export type PutCompany =
  | { readonly status: "created" | "changed" | "unchanged"; readonly target: string }
  /** It is on the suppression list, or was forgotten: nothing was written. */
  | { readonly status: "suppressed" };
