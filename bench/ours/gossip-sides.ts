/** Nodes that gossip over real sockets on loopback, each in a process of its own. */
import { strictEqual } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger as log } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { openTcpPull } from "../../src/gossip/adapters/tcp/tcp-pull.ts";
import { openUdpTransport } from "../../src/gossip/adapters/udp/udp-transport.ts";
import { createGossip, type Gossip, type Transport } from "../../src/gossip/index.ts";
import { createMemoryReplica } from "../../src/gossip/testing/memory-replica.ts";
import { percentile } from "../frame/statistics.ts";
import type { Side } from "../frame/side.ts";

export interface GossipInput {
  readonly name: string;
  /** All of them, this one included. */
  readonly names: readonly string[];
  readonly records: number;
  readonly perS: number;
  /** Of the packets that each node sends. */
  readonly loss: number;
}

const origin = "writer/1";
const host = "127.0.0.1";
const recordBytes = 250;
const keyring = { keys: [Uint8Array.from({ length: 32 }, (_, at) => at)] };
const waitMsMax = 60_000;

/** Comparable between processes of one machine: they share the monotonic clock. */
const nowNs = () => process.hrtime.bigint();

/** Loses some of what is sent, as a bad radio does. */
function lossy(transport: Transport, loss: number): Transport {
  const send: Transport["send"] = (to, packet) => {
    if (systemRandom.next() >= loss) transport.send(to, packet);
  };
  return { ...transport, send };
}

async function open(name: string, loss = 0) {
  const replica = createMemoryReplica();
  const gossip = createGossip({
    replica,
    transport: lossy(await openUdpTransport({ host, port: 0, log }), loss),
    pull: await openTcpPull({ host, port: 0, clock: systemClock, log }),
    keyring,
    cluster: "bench",
    node: name,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  return { replica, gossip };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += 5) {
    if (waitedMs > waitMsMax) throw new Error(`${what} took longer than ${waitMsMax} ms`);
    await wait(5);
  }
}

/** Finds the others by files in the folder that all share. */
async function meetOthers(
  gossip: Gossip,
  { name, names }: GossipInput,
  folder: string,
): Promise<void> {
  const fileOf = (of: string) => join(folder, `${of}.address`);
  writeFileSync(fileOf(name), gossip.address());
  await until("starting", () => names.every((of) => existsSync(fileOf(of))));
  await wait(20); // a file is there before its text is
  const others = names.filter((of) => of !== name);
  gossip.meet(
    "static",
    others.map((of) => ({ address: readFileSync(fileOf(of), "utf8") })),
  );
  await until("meeting", () => gossip.peers().length === others.length);
}

/** Of this process since then, of one core. */
function cpuPercent(before: NodeJS.CpuUsage, startMs: number): number {
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / (performance.now() - startMs)) * 100;
}

export const writer: Side<GossipInput> = async (input, { folder }) => {
  const { replica, gossip } = await open("writer", input.loss);
  await meetOthers(gossip, input, folder);
  const { records, perS } = input;
  return {
    async run() {
      const [before, startMs] = [process.cpuUsage(), performance.now()];
      for (let count = 0; count < records;) {
        const due = Math.min(records, Math.floor(((performance.now() - startMs) / 1_000) * perS));
        for (; count < due; count++) {
          const record = Buffer.alloc(recordBytes);
          record.writeBigInt64BE(nowNs());
          replica.write(origin, record); // each a write of its own
        }
        await wait(1);
      }
      const percent = cpuPercent(before, startMs);
      // Who has all of it says so and is gone; until then it may ask for what it lacks.
      const readers = input.names.filter((name) => name !== input.name);
      await until("propagation", () =>
        readers.every((name) => existsSync(join(folder, `${name}.done`))),
      );
      return { cpuPercent: percent };
    },
    async check() {
      await gossip[Symbol.asyncDispose]();
    },
  };
};

export const reader: Side<GossipInput> = async (input, { folder }) => {
  const { replica, gossip } = await open(input.name, input.loss);
  const latenciesMs: number[] = [];
  const receive = replica.receive.bind(replica);
  replica.receive = async (range) => {
    const have = replica.vector().get(range.origin) ?? 0;
    await receive(range);
    const atNs = nowNs();
    for (const record of range.records.slice(have + 1 - range.from)) {
      latenciesMs.push(Number(atNs - Buffer.from(record).readBigInt64BE()) / 1e6);
    }
  };
  await meetOthers(gossip, input, folder);
  return {
    async run() {
      const [before, startMs] = [process.cpuUsage(), performance.now()];
      await until("propagation", () => replica.vector().get(origin) === input.records);
      writeFileSync(join(folder, `${input.name}.done`), "");
      return {
        cpuPercent: cpuPercent(before, startMs),
        p50Ms: percentile(latenciesMs, 50),
        p99Ms: percentile(latenciesMs, 99),
        asks: gossip.counters().asksOut,
      };
    },
    async check() {
      strictEqual(latenciesMs.length, input.records, "records that came");
      strictEqual(new Set(replica.stored).size, replica.stored.length, "stored twice");
      await gossip[Symbol.asyncDispose]();
    },
  };
};

export interface IdleInput {
  readonly nodes: number;
  readonly ms: number;
}

/** IPv4 and UDP add so much to each packet. */
const headersBytes = 28;

/** A fleet at rest that all have the same: what each sends a second. */
export const idle: Side<IdleInput> = async ({ nodes, ms }) => {
  const all = await Promise.all(Array.from({ length: nodes }, (_, at) => open(`node${at}`)));
  const addresses = all.map(({ gossip }) => ({ address: gossip.address() }));
  all.forEach(({ replica, gossip }, at) => {
    replica.write(`node${at}/1`, Buffer.from("one"));
    gossip.meet("static", addresses);
  });
  await until("converging", () => all.every(({ replica }) => replica.vector().size === nodes));
  await until("meeting", () => all.every(({ gossip }) => gossip.peers().length === nodes - 1));
  await wait(2_000);
  const bytes = () =>
    all.reduce((sum, { gossip }) => {
      const { bytesOut, packetsOut } = gossip.counters();
      return sum + bytesOut + packetsOut * headersBytes;
    }, 0);
  return {
    async run() {
      const [before, startMs] = [bytes(), performance.now()];
      await wait(ms);
      return { bytesPerS: (bytes() - before) / ((performance.now() - startMs) / 1_000) / nodes };
    },
    async check() {
      for (const { gossip } of all) await gossip[Symbol.asyncDispose]();
    },
  };
};
