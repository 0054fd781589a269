import type { CompanyField, CompanyWriter } from "../../campaign/index.ts";
import type { NodeRecords } from "../../node/index.ts";

/** Stores the companies of campaigns as records, and updates files and index. */
export function createRecordCompanies({
  records,
}: {
  readonly records: Pick<NodeRecords, "createAll">;
}): CompanyWriter {
  return {
    async putAll(found) {
      const made = await records.createAll(
        found.map(({ source, name, place, domain, fields, firstFields }) => ({
          source,
          fields: {
            name,
            ...(place !== undefined && { place }),
            ...(domain !== undefined && { domain }),
            ...asObject(fields),
          },
          firstFields: asObject(firstFields),
        })),
      );
      return made.map(({ outcome, target, written }) => {
        if (outcome === "suppressed") return { status: "suppressed" };
        if (outcome === "created") return { status: "created", target };
        return { status: written > 0 ? "changed" : "unchanged", target };
      });
    },
  };
}

const asObject = (fields: readonly CompanyField[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(({ field, value }) => [field, value]));
