import type { ApiExports, FileAnswer } from "../../api/index.ts";
import type { Clock } from "../../base/clock.ts";
import { membershipOf, openCampaignFolder } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import { createCompanyWriter, createEmailWriter, ledgerSuppression } from "../../records/index.ts";
import { openNamedExport, type NamedExport } from "../exchange/export-names.ts";
import { exportChanges } from "../exchange/export-changes.ts";
import { openExportPosition } from "../exchange/export-position.ts";
import { exportCompanies, exportEmails, type ExportCounts } from "../exchange/export-records.ts";

export interface ApiExportsOptions {
  readonly paths: Paths;
  readonly settings: Pick<Settings, "bucket" | "node" | "legal">;
  readonly node: Pick<NodeApi, "records" | "ledger">;
  readonly clock: Clock;
}

/** The media type and the file extension of each format. */
const types = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
  vcf: "text/vcard; charset=utf-8",
  geojson: "application/geo+json; charset=utf-8",
  kml: "application/vnd.google-earth.kml+xml; charset=utf-8",
} as const;

/**
 * Exports that are generated while they are sent: memory use is bounded, and no copy is left
 * behind.
 */
export function createApiExports(options: ApiExportsOptions): ApiExports {
  const { paths, node, clock, settings } = options;
  const { records } = node;
  const { legal } = settings;
  const suppressed = ledgerSuppression(node.ledger);
  const membership = async (campaign: string | undefined) =>
    campaign === undefined
      ? undefined
      : membershipOf(await openCampaignFolder(paths).load(campaign));
  const file = (what: string, format: keyof typeof types): Omit<FileAnswer, "run"> => ({
    fileName: `${what}-${new Date(clock.nowMs()).toISOString().slice(0, 10)}.${format}`,
    type: types[format],
  });
  /**
   * With `onlyNew` the position is stored when everything was sent; an aborted export is sent
   * again.
   */
  const send = async (
    { onlyNew, signal }: Pick<Asked, "onlyNew" | "signal">,
    write: (text: string) => Promise<void>,
    run: (write: (text: string) => Promise<void>, named?: NamedExport) => Promise<ExportCounts>,
  ): Promise<number> => {
    if (!onlyNew) return (await run(write)).rows;
    const { name, isRestarted } = onlyNew;
    await using named = await openNamedExport(
      { paths, settings, clock, signal, isRestarted },
      name,
    );
    const checked = (text: string) => {
      named.check();
      return write(text);
    };
    const { rows } = await run(checked, named);
    await named.commit(clock.nowMs());
    return rows;
  };
  return {
    async companies(asked) {
      const { format, columns, hasBom, query, campaign, signal } = asked;
      const writer = createCompanyWriter({ format, columns, hasBom });
      const common = { records, query, membership: await membership(campaign), suppressed };
      return {
        ...file("companies", format),
        run: (to) =>
          send(asked, to, (write, named) =>
            exportCompanies({ ...common, writer, legal, write, signal, choice: named?.companies }),
          ),
      };
    },
    async changes({ feed: { name, isRestarted }, query, campaign, signal }) {
      const common = { records, query, membership: await membership(campaign), suppressed };
      return {
        ...file("changes", "jsonl"),
        async run(write) {
          const given = { paths, settings, clock, signal, isRestarted };
          await using position = await openExportPosition(given, name, { isFeed: true });
          const options = { ...common, legal, write, signal, position, nowMs: clock.nowMs() };
          const done = await exportChanges(options);
          await done.commit();
          return done.counts.rows;
        },
      };
    },
    async emails(asked) {
      const { format, sitesMax = Infinity, hasBom, query, campaign, signal } = asked;
      const writer = createEmailWriter(format, { hasBom });
      const common = { records, query, membership: await membership(campaign), suppressed };
      return {
        ...file("emails", format),
        run: (to) =>
          send(
            asked,
            to,
            (write, named) =>
            exportEmails({ ...common, writer, legal, write, signal, sitesMax, choice: named?.emails }), // prettier-ignore
          ),
      };
    },
  };
}

type Asked = Parameters<ApiExports["companies"]>[0];
