// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import {
  expectWrittenOnce,
  ownerAmong,
  startNodeWriter,
  type NodeWriter,
} from "../support/node-writers.ts";

let sandbox: Sandbox;
let folder = "";
beforeEach(async () => {
  sandbox = await createSandbox();
  folder = join(sandbox.folder, "data");
});
afterEach(() => sandbox.remove());

const rounds = 20;
const writersAtOnce = 3;
/** More than any of them can write before the test ends them. */
const endless = 10_000_000;
const pauseMsMax = 400;

const sum = (writers: readonly NodeWriter[]) =>
  writers.reduce((total, { acknowledged }) => total + acknowledged().length, 0);

/** Until writers have gone on: then the next fault meets them at work. */
async function untilWritten(writers: readonly NodeWriter[], more: number): Promise<void> {
  const before = sum(writers);
  await expect.poll(() => sum(writers), { interval: 2 }).toBeGreaterThan(before + more);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("kill -9 and SIGSTOP of any process at any moment, 20 times: each acknowledged write is there once", async () => {
  const all: NodeWriter[] = [];
  let started = 0;
  const start = async () => {
    const kind = started % 2 === 0 ? ("service" as const) : ("command" as const);
    const name = `w${started++}`;
    const writer = await startNodeWriter({ folder, name, fields: endless, kind });
    all.push(writer);
    return writer;
  };
  const running = await Promise.all(Array.from({ length: writersAtOnce }, start));
  await Promise.all(running.map(({ opened }) => opened));
  let owners = 0;
  for (let round = 0; round < rounds; round++) {
    await untilWritten(running, 1 + Math.floor(Math.random() * 100));
    const owner = await ownerAmong(folder, running);
    // Every second time it is the owner: then there is something to take over.
    const any = running[Math.floor(Math.random() * running.length)]!;
    const victim = round % 2 === 0 ? owner : any;
    if (victim === owner) owners += 1;
    if (round % 5 === 4) {
      victim.child.kill("SIGSTOP");
      await pause(Math.random() * pauseMsMax);
      victim.child.kill("SIGCONT");
      continue;
    }
    // Stopped first, now and then: then it dies with answers that nobody has sent.
    if (round % 3 === 0) {
      victim.child.kill("SIGSTOP");
      await pause(Math.random() * 50);
    }
    await victim.kill();
    running[running.indexOf(victim)] = await start();
  }
  await untilWritten(running, 100);
  expect(owners).toBeGreaterThanOrEqual(rounds / 2);
  // The last ones end in the middle of their work, one after the other.
  for (const writer of running) await writer.kill();
  const failed = all.filter(({ child }) => child.signalCode !== "SIGKILL");
  expect(failed.map(({ name, errors }) => `${name}: ${errors()}`)).toEqual([]);
  expect(await expectWrittenOnce(sandbox, folder, all)).toBeGreaterThan(rounds);
});

test("a client continues by itself when its owner is killed: everything it had to write is there", async () => {
  const owner = await startNodeWriter({ folder, name: "owner", fields: endless });
  await owner.opened;
  const clients = await Promise.all(
    (["service", "command"] as const).map((kind) =>
      startNodeWriter({ folder, name: kind, fields: 2_000, kind }),
    ),
  );
  await untilWritten(clients, 50);
  await owner.kill();
  expect(await Promise.all(clients.map(({ done }) => done))).toEqual([true, true]);
  for (const one of clients) expect(one.acknowledged()).toHaveLength(2_000);
  expect(await Promise.all(clients.map(({ end }) => end()))).toEqual([0, 0]);
  await expectWrittenOnce(sandbox, folder, [owner, ...clients]);
});
