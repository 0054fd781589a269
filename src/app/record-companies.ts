import type { CompanyWriter } from "../campaign/index.ts";
import type { NodeLedger, NodeRecords } from "../node/index.ts";

/** Companies of campaigns as records: files and index follow what is put. */
export function createRecordCompanies({
  records,
  ledger,
}: {
  readonly records: Pick<NodeRecords, "create" | "write">;
  readonly ledger: Pick<NodeLedger, "read">;
}): CompanyWriter {
  return {
    async put({ source, name, place, domain, fields, firstFields }) {
      const { outcome, target, written } = await records.create({
        source,
        fields: {
          name,
          ...(place !== undefined && { place }),
          ...(domain !== undefined && { domain }),
          ...Object.fromEntries(fields.map(({ field, value }) => [field, value])),
        },
      });
      if (outcome === "forgotten") return { status: "forgotten" };
      // Looked at and not taken from `outcome`: a worker may have died between the two writes.
      const known = new Set((await ledger.read(target)).fields.map(({ field }) => field));
      const missing = firstFields.filter(({ field }) => !known.has(field));
      const { datagrams } = await records.write({
        source,
        changes: missing.map(({ field, value }) => ({ target, field, value })),
      });
      if (outcome === "created") return { status: "created", target };
      return { status: written + datagrams.length > 0 ? "changed" : "unchanged", target };
    },
  };
}
