// needs: s3
// inputs: src/ledger/** src/bucket/** src/base/** src/usv/** src/config/**
// long: fleet
import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createLease } from "../../src/bucket/index.ts";
import { openSharedBucket, type SharedBucket } from "../../src/bucket/testing/race-store.ts";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createPaths } from "../../src/config/index.ts";
import { openFileDisk } from "../../src/ledger/adapters/file/file-disk.ts";
import { findNewestManifest, hubLease, openLedger } from "../../src/ledger/index.ts";
import type { NodeProgramAnswer, NodeProgramWish } from "../../src/ledger/testing/node-program.ts";
import { needs } from "../support/services.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";
const fieldsPerNode = isLong ? 10_000 : 1_500;
const kills = isLong ? 20 : 3;
const names = ["a", "b", "c"];
const program = fileURLToPath(new URL("../../src/ledger/testing/node-program.ts", import.meta.url));

/** Three nodes write while the hub is killed again and again; then all have the same bytes. */
function realFleet(where: string, open: () => Promise<SharedBucket>): void {
  test(
    `${where}: three nodes write ${fieldsPerNode} fields each, the hub is killed ${kills} times`,
    { timeout: 1_200_000 },
    async () => {
      const shared = await open();
      const folder = mkdtempSync(join(tmpdir(), "forager-fleet-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const start = (name: string, fields: number) =>
        startProgram({ shared, folder, name, fields });

      let hub = start("hub-0", 0);
      const nodes = names.map((name) => start(name, fieldsPerNode / kills));
      let checkpoints = 0;
      for (let kill = 1; kill <= kills; kill++) {
        for (const node of nodes) node.ask("write");
        // Somewhere in its work: it has made a checkpoint, and goes on.
        checkpoints += (await hub.next("checkpoint", 60_000)) ? 1 : 0;
        await wait(Math.random() * 200);
        await hub.kill();
        await freeRole(shared);
        hub = start(`hub-${kill}`, 0);
      }
      for (const node of nodes) {
        let written = 0;
        for (let round = 0; round < kills; round++) {
          written += (await node.next("written", 240_000))?.fields ?? 0;
        }
        expect(written).toBe(fieldsPerNode);
      }

      const settled = await settle(nodes);
      expect(settled.datagrams).toBe(names.length * fieldsPerNode);
      // On a busy machine a hub may be killed before it made one.
      expect(checkpoints).toBeGreaterThan(kills / 2);

      // One that was never there learns the same, byte for byte, and all of it.
      await using bucket = await openSharedBucket(shared);
      const paths = createPaths(join(folder, "joined"));
      await using joined = await openLedger({
        disk: await openFileDisk({ paths }),
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        label: "joined",
      });
      await joined.withBucket(bucket).sync();
      expect(await joined.digest()).toBe(settled.digest);
      const shown = new Set<string>();
      for (let index = 0; index < 97; index++) {
        for (const { field } of (await joined.read(`company/${index}`)).fields) shown.add(field);
      }
      for (const name of names) {
        for (let field = 0; field < fieldsPerNode; field++) {
          if (field % 20 !== 0 && !shown.has(`e/${name}/${field}`)) {
            expect.fail(`e/${name}/${field} was acknowledged and is lost`);
          }
        }
      }
      expect((await findNewestManifest(bucket))!.manifest.number).toBeGreaterThanOrEqual(
        checkpoints,
      );
    },
  );
}

/** Sync by sync, until all of them say the same twice. */
async function settle(nodes: readonly Program[]) {
  for (let round = 0; ; round++) {
    const answers = [];
    for (const node of nodes) {
      node.ask("settle");
      answers.push(await node.next("settled", 240_000));
    }
    const [first] = answers;
    if (first && answers.every((one) => one?.digest === first.digest)) return first;
    if (round === 20) throw new Error(`they do not agree: ${JSON.stringify(answers)}`);
  }
}

/** Who killed the hub knows that it is gone, and need not wait for its lease to end. */
async function freeRole(shared: SharedBucket): Promise<void> {
  await using bucket = await openSharedBucket(shared);
  const [clock, random] = [systemClock, systemRandom];
  const lease = createLease({ bucket, name: hubLease, owner: "test", clock, random });
  await lease.forceRelease("the test has killed its holder");
}

interface Program {
  ask(wish: NodeProgramWish): void;
  /** The next answer of that kind; undefined when it does not come in time. */
  next<Kind extends NodeProgramAnswer["kind"]>(
    kind: Kind,
    withinMs: number,
  ): Promise<Extract<NodeProgramAnswer, { kind: Kind }> | undefined>;
  kill(): Promise<void>;
}

function startProgram(settings: {
  shared: SharedBucket;
  folder: string;
  name: string;
  fields: number;
}): Program {
  const folder = join(settings.folder, settings.name);
  const child: ChildProcess = fork(program, [JSON.stringify({ ...settings, folder })], {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answers: NodeProgramAnswer[] = [];
  let isOver = false;
  const over = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void over.then(() => (isOver = true));
  child.on("message", (answer: NodeProgramAnswer) => void answers.push(answer));
  const kill = async () => {
    child.kill("SIGKILL");
    await over;
  };
  onTestFinished(kill);
  return {
    ask: (wish) => void child.send(wish),
    kill,
    async next(kind, withinMs) {
      const untilMs = performance.now() + withinMs;
      while (performance.now() < untilMs) {
        const at = answers.findIndex((answer) => answer.kind === kind);
        if (at >= 0) return answers.splice(at, 1)[0] as never;
        if (isOver) throw new Error(`${settings.name} has ended by itself`);
        await wait(10);
      }
      return undefined;
    },
  };
}

describe("real processes", () => {
  realFleet("a directory", async () => {
    const root = mkdtempSync(join(tmpdir(), "forager-fleet-bucket-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    return { kind: "directory", root };
  });
});

needs(["s3"], ({ s3 }) => {
  realFleet("S3", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    return { kind: "s3", place };
  });
});
