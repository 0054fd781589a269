import type { ApiExports, FileAnswer } from "../../api/index.ts";
import type { Clock } from "../../base/clock.ts";
import { membershipOf, openCampaignFolder } from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import {
  createCompanyWriter,
  createEmailWriter,
  ledgerSuppression,
  type LegalNotice,
} from "../../records/index.ts";
import { exportCompanies, exportEmails } from "../exchange/export-records.ts";

export interface ApiExportsOptions {
  readonly paths: Paths;
  readonly node: Pick<NodeApi, "records" | "ledger">;
  readonly clock: Clock;
  readonly legal: LegalNotice;
}

/** The media type and the ending of each format. */
const types = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
  vcf: "text/vcard; charset=utf-8",
  geojson: "application/geo+json; charset=utf-8",
  kml: "application/vnd.google-earth.kml+xml; charset=utf-8",
} as const;

/** Exports that are written while they are sent: memory stays small, and no copy is left behind. */
export function createApiExports({ paths, node, clock, legal }: ApiExportsOptions): ApiExports {
  const { records } = node;
  const suppressed = ledgerSuppression(node.ledger);
  const membership = async (campaign: string | undefined) =>
    campaign === undefined
      ? undefined
      : membershipOf(await openCampaignFolder(paths).load(campaign));
  const file = (what: string, format: keyof typeof types): Omit<FileAnswer, "run"> => ({
    fileName: `${what}-${new Date(clock.nowMs()).toISOString().slice(0, 10)}.${format}`,
    type: types[format],
  });
  return {
    async companies({ format, columns, hasBom, query, campaign, signal }) {
      const writer = createCompanyWriter({ format, columns, hasBom });
      const of = await membership(campaign);
      return {
        ...file("companies", format),
        async run(write) {
          await exportCompanies({ records, query, membership: of, suppressed, writer, legal, write, signal }); // prettier-ignore
        },
      };
    },
    async emails({ format, sitesMax = Infinity, hasBom, query, campaign, signal }) {
      const writer = createEmailWriter(format, { hasBom });
      const of = await membership(campaign);
      return {
        ...file("emails", format),
        async run(write) {
          await exportEmails({ records, query, membership: of, suppressed, writer, legal, write, signal, sitesMax }); // prettier-ignore
        },
      };
    },
  };
}
