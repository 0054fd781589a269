/** A field of a company, named as in its record, including elements such as `phone/+4989…`. */
export interface CompanyField {
  readonly field: string;
  readonly value: unknown;
}

export interface FoundCompany {
  /** The source of the value, such as `place:osm/node/1`. */
  readonly source: string;
  readonly name: string;
  /** Natural keys, the strongest first; the company is looked up by each of them. */
  readonly place: string | undefined;
  readonly domain: string | undefined;
  readonly fields: readonly CompanyField[];
  /** Written only when the company is created. */
  readonly firstFields: readonly CompanyField[];
}

/**
 * What campaigns need of the records. Safe to repeat: values that do not change are not written,
 * and one place becomes one company, even if two workers process it at the same time.
 */
export interface CompanyWriter {
  /** Writes in the given order; each company can match those before it. Uses few syncs. */
  putAll(found: readonly FoundCompany[]): Promise<readonly PutCompany[]>;
}

export type PutCompany =
  | { readonly status: "created" | "changed" | "unchanged"; readonly target: string }
  /** The company is on the suppression list or was forgotten; nothing was written. */
  | { readonly status: "suppressed" };
