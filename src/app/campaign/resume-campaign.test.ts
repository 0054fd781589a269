import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { enrichKind, firstTask, parseCampaign } from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../../queue/index.ts";
import { resumeWithinBudget } from "./resume-campaign.ts";

const campaignOf = (budget: string) =>
  parseCampaign(
    "leads",
    "config.toml",
    `phrases = ["plumber"]\n[[locations]]\nname = "x"\nlat = 1\nlon = 1\n${budget}`,
  );

test("B28: a campaign that continues after its budget was raised or removed visits unreached websites again", async () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  const queue = createQueue({ store, clock: systemClock, random: systemRandom });
  const resume = (budget: string) =>
    resumeWithinBudget({
      campaign: campaignOf(budget),
      queue,
      queueUrl: "sqlite:queue.db",
      paths: createPaths("/nowhere"),
      clock: systemClock,
      ledger: { readAll: async () => [] },
      records: { search: async () => ({ rows: [], next: undefined }), count: async () => 0 },
    });
  const visits = ["a", "b"].map(
    (company) =>
    firstTask({ job: "leads", round: "r", target: `company/${company}`, website: `https://${company}.example/` }), // prettier-ignore
  );
  await queue.add(visits);
  const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind], limit: 1 });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  const result = { outcome: "unreachable", reason: "dns" };
  await queue.finish([{ id, token, requests: 3, outcome: { kind: "done", result } }]);
  await queue.pause("leads");

  expect(await resume("[budget]\nrequests = 3")).toBe("budget");
  expect(await resume("")).toBe("paused");
  expect(await queue.job("leads")).toMatchObject({ pending: 1, isPaused: true });
  expect(await resume("[budget]\nrequests = 4")).toBe("resumed");
  expect(await queue.job("leads")).toMatchObject({ pending: 2, isPaused: false });
  await queue.pause("leads");
  expect(await resume('[budget]\nrequests = "none"')).toBe("resumed");
});
