// inputs: src/** package.json tsconfig.json tsconfig.build.json
// long: fleet
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";
import { untilMs, untilQuiet, watchFiles } from "../support/watch-files.ts";

/** Long enough for a heartbeat in the bucket, which comes each minute. */
const minutes = process.env["FORAGER_TEST_LONG"] === "1" ? 10 : 70 / 60;
const periodMs = minutes * 60_000;

/** Files with random names are named by their pattern. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/^nodes\/\.tmp-write-\w+$/, "nodes/.tmp-write-*"],
  [/^nodes\/.+-\d+\.json$/, "nodes/HOST-PID.json"],
  [/^ledger\/heads\/\w+\.json$/, "ledger/heads/NODE.json"],
  [/^fleet\/logs\/\w+\.jsonl$/, "fleet/logs/NODE.jsonl"],
  [/^\.forager\/new\/\w+$/, ".forager/new/*"],
];
const patternOf = (file: string) => patterns.find(([shape]) => shape.test(file))?.[1] ?? file;
const patternsOf = (files: readonly string[]) => [...new Set(files.map(patternOf))].sort();

test(
  "A11: an idle node writes nothing but heartbeats, to disk and to a bucket in a folder",
  async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    for (const name of ["data", "bucket"]) mkdirSync(join(sandbox.folder, name));
    const data = watchFiles(join(sandbox.folder, "data"));
    const bucket = watchFiles(join(sandbox.folder, "bucket"));
    const env = {
      FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
      FORAGER_QUEUE_URL: "sqlite:queue.db",
    };
    const up = await runUp(sandbox, ["--data", "data", "--bucket", "dir:bucket", "--json"], env);
    for (const part of ["workers", "gossip", "bucket"] as const) {
      await expect.poll(() => up.part(part)?.state).toBe("running");
    }
    // The start is over: nothing is written any more but the heartbeat file.
    const isHeartbeat = (file: string) => file.startsWith("nodes/");
    const others = () => data.events().filter((file) => !isHeartbeat(file));
    await untilQuiet(() => others().length + bucket.events().length, 10_000);
    data.reset();
    bucket.reset();
    const startMs = Date.now();
    await untilMs(startMs + periodMs);

    // Every file that an event named, and every file whose content differs.
    const onDisk = ["nodes/.tmp-write-*", "nodes/HOST-PID.json"];
    expect(patternsOf(data.events())).toEqual(onDisk);
    expect(patternsOf(data.changed())).toEqual(["nodes/HOST-PID.json"]);
    const temporary = data.events().filter((file) => file.startsWith("nodes/.tmp-write-"));
    const heartbeats = new Set(temporary).size;
    expect(heartbeats).toBeGreaterThan(0);
    expect(heartbeats).toBeLessThanOrEqual(periodMs / 5_000 + 1);

    // Each write of an object has a temporary file of its own. The log lines of the start are sent
    // once, and the folders of that object are made for it.
    const written = patternsOf(bucket.events());
    const folders = ["fleet", "fleet/logs", "ledger/heads", ".forager", ".forager/new"];
    const lock = [".forager/lock.db", ".forager/lock.db-journal"];
    const objects = ["fleet/logs/NODE.jsonl", "ledger/heads/NODE.json"];
    const allowed = new Set([".forager/new/*", ...folders, ...lock, ...objects]);
    expect(written.filter((file) => !allowed.has(file))).toEqual([]);
    expect(patternsOf(bucket.changed())).toContain("ledger/heads/NODE.json");
    const writes = new Set(bucket.events().filter((file) => file.startsWith(".forager/new/")));
    const logs = written.includes("fleet/logs/NODE.jsonl") ? 1 : 0;
    // A busy machine may be late with each of them.
    expect(writes.size - logs).toBeGreaterThanOrEqual(Math.max(1, Math.floor(minutes) - 1));
    expect(writes.size - logs).toBeLessThanOrEqual(Math.ceil(minutes));

    up.kill("SIGTERM");
    expect(await up.ended, up.stderr()).toBe(0);
  },
  periodMs + 180_000,
);
