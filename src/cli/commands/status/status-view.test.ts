import { expect, test } from "vitest";
import { testQueue, wellStatus } from "../../../app/status/testing/test-status.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { createOutput } from "../../terminal/output.ts";
import { describeStatus, describeStatusInLine } from "./status-view.ts";

test("a table shows the nodes, where they are, how they were found, their drift, and what needs attention", () => {
  const attention = ["pi-2 is missed"];
  const problems = [{ name: "node_missing", subject: "pi-2", text: "pi-2 is missed" }] as const;
  const lines: string[] = [];
  const out = createOutput({
    stdout: { write: (text: string) => void lines.push(text) },
    stderr: { write: () => {} },
    isJson: false,
    isQuiet: false,
    hasColor: false,
  });
  const status = { ...wellStatus, queue: testQueue(5), attention, problems };
  out.result(status, (layout) => describeStatus(status, true, layout));
  const text = lines.join("");
  expect(text).toMatch(
    /^node +name +seen +state +address +found +session +missing here\/there +for/,
  );
  expect(text).toContain("pi-1  5.0s ago  working  10.0.0.1:9999  mdns");
  expect(text).toContain("hub 0000000000001, epoch 4, held, heard 3.0s ago; checkpoint 3 of 1m00s");
  expect(text).toContain(
    "  enrich: 5 pending (2 domain_delay 1m01s, 3 worker_capacity 5.0s), 0 running, 0 done, 0 failed",
  );
  expect(text).toContain(
    `gossip: 1200 packets in, 900 out; dropped: 12 unauthenticated, 3 stranger (${docsPage("gossip.md")})`,
  );
  expect(text).toContain("gossip: key from gossip.keys\n");
  expect(text).toContain("finished tasks move into it after 7 days, failed ones after 30");
  const held = testQueue(5)!;
  const waiting = { ...status, queue: { ...held, log: { ...held.log, waitsForUpgrade: true } } } as const; // prettier-ignore
  out.result(waiting, (layout) => describeStatus(waiting, true, layout));
  expect(lines.at(-1)).toMatch(
    /^ {2}log: .*; no finished task moves into it until `forager fleet finish-upgrade`$/m,
  );
  const own = { ...status, gossip: null, gossipKey: "own" } as const;
  out.result(own, (layout) => describeStatus(own, true, layout));
  expect(lines.at(-1)).toContain(
    `gossip: own key only, other machines cannot join; set gossip.keys on every machine, see ${docsPage("gossip.md")}`,
  );
  expect(text).toContain(
    "needs attention:\n  pi-2 is missed\nwhat to do: forager runbook node_missing",
  );
  expect(describeStatusInLine(status)).toBe(
    "2026-01-01T00:00:00Z 2 of 2 nodes, 5 pending, 0 running, pi-2 is missed",
  );
});
