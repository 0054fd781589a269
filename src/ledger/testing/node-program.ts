/**
 * One process of a real fleet: a node that writes and syncs, or a hub that folds in a loop. The
 * parent passes settings as JSON in the first argument, sends requests as messages, and may kill
 * it.
 */
import { sleep, systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createRetryingBucket, isUnavailable } from "../../bucket/index.ts";
import { openSharedBucket, type SharedBucket } from "../../bucket/testing/race-store.ts";
import { createPaths } from "../../config/index.ts";
import { openFileDisk } from "../adapters/file/file-disk.ts";
import type { Change } from "../changes.ts";
import { openLedger } from "../ledger.ts";
import { createHub } from "../tiers/hub/hub.ts";

export interface NodeProgramSettings {
  readonly shared: SharedBucket;
  readonly folder: string;
  readonly name: string;
  /** Fields that a node writes for each request; 0 for a hub. */
  readonly fields: number;
}

/** From the parent. */
export type NodeProgramWish = "write" | "settle" | "stop";

/** To the parent: the last answer to a request shows that the request is done. */
export type NodeProgramAnswer =
  | { readonly kind: "written"; readonly fields: number }
  | { readonly kind: "settled"; readonly digest: string; readonly datagrams: number }
  | { readonly kind: "checkpoint"; readonly number: number };

const settings = JSON.parse(process.argv[2] ?? "") as NodeProgramSettings;
const { name, fields, folder } = settings;
const [clock, random, log] = [systemClock, systemRandom, silentLogger];
const send = (answer: NodeProgramAnswer) => void process.send!(answer);
process.on("disconnect", () => process.exit(1));
const bucket = await openSharedBucket(settings.shared);

if (fields === 0) await beHub();
else await beNode();

async function beHub(): Promise<void> {
  const hub = createHub({
    bucket,
    clock,
    random,
    log,
    owner: name,
    intervalMs: 50,
    graceMs: 500,
    onCheckpoint: async ({ number }) => send({ kind: "checkpoint", number }),
  });
  process.on("message", () => void hub.stop().then(() => process.exit(0)));
  await hub.start();
}

async function beNode(): Promise<void> {
  const disk = await openFileDisk({ paths: createPaths(folder) });
  const ledger = await openLedger({ disk, clock, random, log, label: name });
  const patient = createRetryingBucket({ bucket, clock, random });
  const sync = ledger.withBucket(patient);
  let turn: Promise<unknown> = Promise.resolve();
  const syncOnce = () => {
    const mine = turn.then(() => sync.sync());
    turn = mine.catch(() => {});
    return mine;
  };
  const syncForEver = async () => {
    for (;;) {
      await syncOnce().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
      });
      await sleep(clock, 100);
    }
  };
  const settle = async () => {
    await syncOnce();
    const datagrams = [...ledger.vector().values()].reduce((sum, one) => sum + one, 0);
    send({ kind: "settled", digest: await ledger.digest(), datagrams });
  };

  const perCommit = 20;
  let next = 0;
  const write = async () => {
    let written = 0;
    const end = next + fields;
    for (let from = next; from < end; from += perCommit) {
      const changes: Change[] = Array.from({ length: perCommit }, (_, index) => ({
        target: `company/${(from / perCommit) % 97}`,
        field: `e/${name}/${from + index}`,
        value: from + index,
      }));
      changes[0] = { ...changes[0]!, field: "shared", value: `${name} ${from}` };
      written += (await ledger.write({ source: `site:https://${name}`, changes })).datagrams.length;
      await sleep(clock, random.next() * 20);
    }
    next = end;
    send({ kind: "written", fields: written });
  };
  process.on("message", (wish: NodeProgramWish) => void (wish === "write" ? write() : settle()));
  void syncForEver();
}
