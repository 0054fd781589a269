import type { NodeReadApi } from "../../../../node/index.ts";
import { companyTarget, mergedFieldsPrefix } from "../../../../records/index.ts";

/** Names of records by target, for tables. */
export interface RecordNames {
  /** Looks up the names of targets that are not known yet. */
  readonly learn: (targets: Iterable<string>) => Promise<void>;
  /** Returns the target itself if there is no such record. */
  readonly nameOf: (target: string) => string;
}

const namesMax = 10_000;

export function createRecordNames({
  records,
  ledger,
}: Pick<NodeReadApi, "records" | "ledger">): RecordNames {
  let names = new Map<string, string>();
  /** Names of rows that are not printed yet; older ones are given up, so memory is bounded. */
  let earlier: ReadonlyMap<string, string> = new Map();
  /** The name of a record that was merged into another one or deleted. */
  const formerName = async (target: string): Promise<string | undefined> => {
    const { fields } = await ledger.read(target);
    const value = fields.find(({ field }) => field === "name")?.value;
    return typeof value === "string" ? value : undefined;
  };
  return {
    async learn(targets) {
      if (names.size >= namesMax) [earlier, names] = [names, new Map()];
      for (const target of new Set(targets)) {
        if (names.has(target)) continue;
        const found = await records.find(target);
        const name = found?.kind === "company" ? found.company.name : found?.person.name;
        names.set(target, name ?? (await formerName(target)) ?? target);
      }
    },
    nameOf: (target) => names.get(target) ?? earlier.get(target) ?? target,
  };
}

/**
 * The record that a field names: of `person/ID`, `company/ID`, `merged/company/ID` and
 * `mergedFields/ID`.
 */
export function linkIn(field: string): string | undefined {
  const id = field.startsWith(mergedFieldsPrefix) && field.slice(mergedFieldsPrefix.length);
  return id ? companyTarget(id) : /^(?:merged\/)?((?:person|company)\/.+)$/.exec(field)?.[1];
}

export const withName = (
  text: string,
  target: string | undefined,
  nameOf: RecordNames["nameOf"],
): string => (target === undefined ? text : `${text} (${nameOf(target)})`);

export const fieldWithName = (field: string, nameOf: RecordNames["nameOf"]): string =>
  withName(field, linkIn(field), nameOf);
