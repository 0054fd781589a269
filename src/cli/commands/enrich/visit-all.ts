import { createSiteSettings, openOrMakeQueue } from "../../../app/index.ts";
import {
  batchLine,
  firstTask,
  gateOf,
  openBatchFiles,
  paceOf,
  setPace,
  type Batch,
  type BatchLine,
} from "../../../campaign/index.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { Queue } from "../../../queue/index.ts";
import type { Company } from "../../../records/index.ts";
import type { SettingsContext } from "../../command.ts";

export interface PlannedVisit {
  readonly company: Company;
  readonly website: string;
}

/** Adds visits as a batch. What was known is on disk before the first visit is added. */
export async function visitAll(
  context: SettingsContext,
  { ledger }: NodeReadApi,
  { name, at, placed }: { name: string; at: string; placed: readonly PlannedVisit[] },
) {
  const files = openBatchFiles(context.paths);
  const before: Batch = (await files.read(name)) ?? { name, at, lines: [] };
  const known = new Set(before.lines.map(({ target }) => target));
  const lines: BatchLine[] = [...before.lines];
  for (const { company, website } of placed) {
    if (!known.has(company.target))
      lines.push(batchLine(await ledger.read(company.target), website));
  }
  const batch = { ...before, lines };
  await files.write(batch);
  await using queue = await openOrMakeQueue(context);
  return await addVisits(context, queue, batch);
}

const chunkSize = 500;

async function addVisits(
  { settings, progress, signal, clock }: SettingsContext,
  queue: Queue,
  { name, at, lines }: Batch,
) {
  const shown = progress.start({ label: "visits", total: lines.length });
  const answers = { added: 0, duplicate: 0, refused: 0 };
  const sites = createSiteSettings({ queue, clock });
  const services = { sites, crawl: { ...settings.crawl, contact: settings.crawl.contact } };
  try {
    for (let from = 0; from < lines.length; from += chunkSize) {
      signal.throwIfAborted();
      const some = lines.slice(from, from + chunkSize);
      const gates = new Set(some.map(({ website }) => gateOf(website)));
      const pace = paceOf(services, { campaign: undefined, url: some[0]!.website });
      await Promise.all([...gates].map((gate) => setPace(services, gate, pace)));
      const tasks = some.map(({ target, website }) =>
        firstTask({ job: name, round: name, target, website, after: at }),
      );
      for (const { status } of await queue.add(tasks)) {
        if (status === "added" || status === "duplicate") answers[status] += 1;
        else answers.refused += 1;
      }
      shown.advance(some.length);
    }
  } finally {
    shown.done();
  }
  return answers;
}
