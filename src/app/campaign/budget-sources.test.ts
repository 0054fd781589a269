import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { discoverKind, parseCampaign, placeFileKey, tileTarget } from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../../queue/index.ts";
import { createBudgetSources } from "./budget-sources.ts";

const campaign = parseCampaign(
  "demo",
  "config.toml",
  'phrases = ["plumber"]\n[[locations]]\nname = "x"\nlat = 1\nlon = 1\n[sources]\nfile = "p.jsonl"\n[budget]\ncompanies = 5',
);
const tile = "1.0_1.0";

test("B28: companies that another machine has found count before they are replicated, and then once", async () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  const queue = createQueue({ store, clock: systemClock, random: systemRandom });
  const payload = { campaign: "demo", tile, source: "file", due: [{ phrase: "plumber" }] };
  await queue.add([{ kind: discoverKind, job: "demo", key: "t", payload }]);
  const { leases } = await queue.claim({ worker: "w", kinds: [discoverKind] });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  const result = { found: 6, excluded: 1, filtered: { phone: 2 }, created: 5 };
  await queue.finish([{ id, token, outcome: { kind: "done", result } }]);

  const witness = { at: "2026-11-18T09:00:00.000Z", found: 6, source: "file:places.jsonl" };
  let isReplicated = false;
  const sources = createBudgetSources({
    queue,
    queueUrl: "sqlite:queue.db",
    paths: createPaths("/nowhere"),
    clock: systemClock,
    ledger: {
      readAll: async (targets) =>
        targets.map((target) => {
          const isKnown = isReplicated && target === tileTarget({ id: tile });
          const fields = isKnown
            ? [{ field: `plumber@${placeFileKey(campaign)}`, value: witness }]
            : [];
          return { target, fields } as never;
        }),
    },
    records: { search: async () => ({ rows: [], next: undefined }), count: async () => 0 },
  });
  expect(await sources.counted(campaign)).toMatchObject({ count: 3 });
  expect(await sources.companiesMax(campaign)).toBe(3);
  // The job is paused only for companies of this node.
  expect(await sources.companies(campaign)).toBe(0);
  isReplicated = true;
  expect(await sources.counted(campaign)).toMatchObject({ count: 0 });
});
