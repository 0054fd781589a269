import { expect, test } from "vitest";
import type { NodeSeen } from "./roster.ts";
import { earlierVersions } from "./earlier-versions.ts";
import { sampleHeartbeat } from "./testing/sample-heartbeat.ts";

const nowMs = Date.UTC(2026, 0, 2);
const seen = (label: string, version: string | undefined, ageMs = 0): NodeSeen => ({
  node: label,
  label,
  isSelf: false,
  lastSeenMs: nowMs - ageMs,
  session: "s",
  addresses: [],
  how: "head",
  rttMs: undefined,
  heartbeat: version === undefined ? undefined : { ...sampleHeartbeat, label, version },
  head: undefined,
  peer: undefined,
});

test("versions are compared by their numbers; an unknown one counts as earlier", () => {
  const nodes = [
    seen("same", "0.10.0"),
    seen("later", "1.0.0"),
    seen("before", "0.9.12"),
    seen("strange", "main"),
    seen("silent", undefined),
    seen("gone", "0.9.12", 86_400_000),
    { ...seen("never", undefined), lastSeenMs: undefined },
    { ...seen("this one, by commands", undefined), isSelf: true },
    { ...seen("this one, while it runs", "0.9.12"), isSelf: true },
  ];
  const { running, absent } = earlierVersions(nodes, { version: "0.10.0", nowMs });
  expect(running.map(({ label }) => label)).toEqual([
    "before",
    "strange",
    "silent",
    "this one, while it runs",
  ]);
  expect(absent.map(({ label }) => label)).toEqual(["gone"]);
});
