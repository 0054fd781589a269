import { AppError } from "../../src/base/app-error.ts";
import { sleep } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createRetryingBucket } from "../../src/bucket/index.ts";
import { createMemoryDisk } from "../../src/ledger/testing/memory-disk.ts";
import {
  checkpointTarget,
  createAutoHub,
  openLedger,
  type HubOptions,
  type Ledger,
  type LedgerDisk,
} from "../../src/ledger/index.ts";
import { createHubKeeper } from "../../src/ledger/tiers/hub/hub.ts";
import { pick, startMs, type World } from "./world.ts";
import type { MachineState } from "./ledger-state.ts";
import type { SimNode } from "./sim-node.ts";

/** A disk, and whoever runs from it now. */
export interface Machine {
  readonly name: string;
  readonly files: Map<string, Uint8Array>;
  /** The folded state on its disk, which may lose what was saved last. */
  readonly state: MachineState;
  ledger: Ledger | undefined;
  writes: number;
}

export interface FleetLog {
  /** Elements that were acknowledged: each must be everywhere in the end. */
  readonly acknowledged: Set<string>;
  isWriting: boolean;
  /** Nothing more goes wrong. */
  isCalm: boolean;
  failure: Error | undefined;
}

/** How long things go wrong. */
export const chaosMs = 16_000;
export const hubMs = { ttlMs: 6_000, marginMs: 2_000, intervalMs: 2_500, graceMs: 4_000 };
const autoTiming = {
  lookMs: 2_500,
  firstLookMs: 1_000,
  restMs: 4_000,
  busyRestMs: 4_000,
  unableMs: 5_000,
};
const targets = ["company/1", "company/2", "company/3"];

/** So few that every life saves its state many times. */
const unsavedMax = 3;

export interface MachineLife {
  readonly world: World;
  readonly machine: Machine;
  readonly node: SimNode;
  readonly log: FleetLog;
  readonly hub: "auto" | undefined;
  /** Whether it erases fields. Not where journals are damaged: it would stop at the damage. */
  readonly hasErasing: boolean;
}

/** One life of a machine: writes, syncs, and wants to be the hub. */
export function runMachine({
  world,
  machine,
  node,
  log,
  hub: mode,
  hasErasing,
}: MachineLife): void {
  const { random } = world;
  const { clock } = node;
  const fail = (error: unknown) => void (log.failure ??= error as Error);
  const disk = guardedDisk(world, machine, node);
  machine.ledger = undefined;

  const live = async () => {
    const label = machine.name;
    const openState = () => machine.state.open(world, node);
    const options = { disk, clock, random, log: silentLogger, label, openState, unsavedMax };
    const ledger = await openLedger(options);
    machine.ledger = ledger;
    world.tell(`${label} is ${ledger.node()}`);
    const bucket = createRetryingBucket({ bucket: node.bucket, clock, random });
    const ledgerSync = ledger.withBucket(bucket);
    const hubOptions: HubOptions = {
      ...hubMs,
      bucket: node.bucket,
      clock,
      random,
      log: silentLogger,
      owner: label,
      async onCheckpoint({ number, epoch }) {
        world.note("checkpoint");
        const change = {
          target: checkpointTarget,
          field: "sync_checkpoint",
          value: { number, epoch },
        };
        await ledger.write({ source: "system", changes: [change] });
      },
    };
    const hub =
      mode === "auto"
        ? createAutoHub({
            ...hubOptions,
            mode,
            timing: autoTiming,
            beyond: async () =>
              (await ledger.log({ from: 0, limit: Infinity })).filter(
                ({ target }) => target !== checkpointTarget,
              ).length,
            catchUp: () => ledgerSync.sync(),
          })
        : createHubKeeper(hubOptions);
    await hub.start();
    void write(ledger).catch(fail);
    // As if each sync were the first of its day.
    void syncForEver(() => ledgerSync.sync({ isRepairing: true })).catch(fail);
  };

  const write = async (ledger: Ledger) => {
    for (;;) {
      await sleep(clock, random.next() * 4_000);
      if (!log.isWriting) continue;
      const { isCalm } = log;
      const target = pick(random, targets);
      const element = `seen/${machine.name}-${createId(random, 8)}`;
      const source = pick(random, ["hand:anna", "site:https://a.b", "place:osm/1"]);
      const changes = [
        { target, field: element, value: true },
        { target, field: "phone", value: element },
        ...(random.next() < 0.1 ? [{ target, field: "name", unset: true as const }] : []),
      ];
      const commit = [ledger.write({ source, changes })];
      if (random.next() < 0.3) {
        commit.push(ledger.write({ source, changes: [{ target, field: "name", value: element }] }));
      }
      try {
        await Promise.all(commit);
      } catch (error) {
        const isMissing = error instanceof AppError && error.code === "ledger_history_missing";
        if (!isMissing) throw error;
        world.note("writeRefused");
        continue;
      }
      if (random.next() < 0.08) await forget(ledger);
      if (hasErasing && random.next() < 0.08) await erase(ledger);
      log.acknowledged.add(`${target} ${element}`);
      // One that began before the calm says nothing of who this machine is now.
      if (isCalm === log.isCalm) machine.writes += 1;
    }
  };

  /** A target that nobody minds: what was acknowledged of the others must stay. */
  const forget = async (ledger: Ledger) => {
    const target = "company/4";
    const changes = [{ target, field: "name", value: machine.name }];
    await ledger.write({ source: "site:https://a.b", changes });
    if (random.next() < 0.3) await ledger.unforget({ target, source: "hand:anna" });
    else if ((await ledger.forget({ target, source: "hand:anna" })) > 0) world.note("scrubbed");
  };

  /** Fields that nobody minds, of targets that are used. */
  const erase = async (ledger: Ledger) => {
    const target = pick(random, targets);
    const field = pick(random, ["phone", "name"]);
    const visit = { target, field: "visit", value: { by: machine.name, seen: ["name", "phone"] } };
    await ledger.write({ source: "site:https://a.b", changes: [visit] });
    const erasures = [{ target, fields: [field], mentions: ["visit"] }];
    if ((await ledger.erase({ source: "hand:anna", erasures })) > 0) world.note("erased");
  };

  const syncForEver = async (
    sync: () => Promise<{ adopted: number | undefined; moved: number; repaired: number }>,
  ) => {
    for (;;) {
      try {
        const { adopted, moved, repaired } = await sync();
        if (adopted !== undefined) world.note("adopted");
        if (repaired > 0) world.note("repaired");
        if (moved > 0) world.note("moved");
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        world.tell(`${machine.name}: ${error.code}`);
      }
      await sleep(clock, 500 + random.next() * 4_000);
    }
  };
  void live().catch(fail);
}

/** The dead do not write, and a crash may leave any part of what they were writing. */
export function guardedDisk(
  world: World,
  { files }: Pick<Machine, "files">,
  node: SimNode,
): LedgerDisk {
  const { random } = world;
  const disk = createMemoryDisk({ files, slow: { clock: node.clock, random, wayMsMax: 30 } });
  const never = new Promise<never>(() => {});
  const alive = <T>(work: () => Promise<T>) => (node.isAlive() ? work() : never);
  return {
    list: (folder) => alive(() => disk.list(folder)),
    read: (name) => alive(() => disk.read(name)),
    stat: (name) => alive(() => disk.stat(name)),
    readAt: (name, from, length) => alive(() => disk.readAt(name, from, length)),
    append: (name, bytes) => alive(() => disk.append(name, bytes)),
    truncate: (name, bytes) => alive(() => disk.truncate(name, bytes)),
    replace: (name, bytes) => alive(() => disk.replace(name, bytes)),
    remove: (name) => alive(() => disk.remove(name)),
    async [Symbol.asyncDispose]() {},
  };
}

/** The store was proven fit a moment ago: that proof has a simulation of its own. */
export function proveFit({ objects }: Pick<World, "objects">): void {
  const body = Buffer.from(JSON.stringify({ format: 1, fitAtMs: startMs }));
  Map.prototype.set.call(objects, "probe/fit.json", { body, etag: "fit", modifiedAtMs: startMs });
}
