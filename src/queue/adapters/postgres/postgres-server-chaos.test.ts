// needs: postgres
// inputs: scripts/services/** src/queue/** src/base/**
// long: chaos
import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { startOwnPostgres, type OwnPostgres } from "../../../../test/support/own-postgres.ts";
import { needs } from "../../../../test/support/services.ts";
import { sleep, systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createQueue } from "../../create-queue.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { expectSame } from "./testing/chaos-suite.ts";
import { unharmed, weatherStorm, type StormOutcome } from "./testing/storm.ts";
import { createTcpGap } from "./testing/tcp-gap.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const strikes = process.env["FORAGER_TEST_LONG"] === "1" ? 25 : 3;
const timeLimitMs = 300_000;
const schemaName = "storm";

/** Nothing lost, nothing done twice: by the workers' word, by the tables, and by the counters. */
async function expectUnharmed(url: string, outcome: StormOutcome): Promise<void> {
  expect(outcome).toMatchObject(unharmed);
  expect(outcome.added).toBeGreaterThan(0);
  await using schema = await createTestSchema(url);
  await expectSame({ ...schema, quoted: schemaName }, outcome.added);
  const store = await openPostgresQueueStore({ url, schema: schemaName });
  expect(await store.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });
  await store[Symbol.asyncDispose]();
}

async function query(url: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: readonly unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query<object>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Whether we may put a small file system somewhere: needs rights that not everybody has. */
function canMount(): boolean {
  const folder = join("/tmp", `forager-mount-${process.pid}`);
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

needs(["postgres"], () => {
  test(
    "the server is restarted again and again",
    async () => {
      await using server = await startOwnPostgres();
      const outcome = await weatherStorm({
        store: { url: server.url, schema: schemaName },
        strikes,
        strike: async () => {
          await sleep(systemClock, 300);
          await server.stop();
          await server.start();
        },
      });
      await expectUnharmed(server.url, outcome);
      expect(outcome.failures["queue_unreachable"]).toBeGreaterThan(0);
    },
    timeLimitMs,
  );

  test(
    "the server is killed with -9 again and again",
    async () => {
      await using server = await startOwnPostgres();
      const outcome = await weatherStorm({
        store: { url: server.url, schema: schemaName },
        strikes,
        strike: async () => {
          await sleep(systemClock, 300);
          await server.kill();
          await server.start();
        },
      });
      await expectUnharmed(server.url, outcome);
      expect(outcome.failures["queue_unreachable"]).toBeGreaterThan(0);
    },
    timeLimitMs,
  );

  test(
    "failover: the server dies for good, and a replica takes over",
    async () => {
      await using server = await startOwnPostgres();
      const replica = await createReplica(server);
      await replica.start();
      await vi.waitFor(
        async () =>
          expect(await query(server.url, "select state from pg_stat_replication")).toEqual([
            { state: "streaming" },
          ]),
        { timeout: 180_000, interval: 100 },
      );
      await expect(openPostgresQueueStore({ url: replica.url })).rejects.toMatchObject({
        kind: "unavailable",
        code: "queue_read_only",
      });
      // From here on nothing is acknowledged that only one of them has.
      await query(server.url, "alter system set synchronous_standby_names = '*'");
      await query(server.url, "select pg_reload_conf()");
      await using gap = await createTcpGap(server.url);
      const outcome = await weatherStorm({
        store: { url: gap.url, schema: schemaName },
        strikes: 1,
        strike: async () => {
          await sleep(systemClock, 1_500);
          await server.kill();
          await gap.cut();
          gap.redirect(replica.url);
          await sleep(systemClock, 200);
          await gap.mend(); // nodes meet a server that does not let them write yet
          await sleep(systemClock, 300);
          expect(await query(replica.url, "select pg_promote() as ok")).toEqual([{ ok: true }]);
          await sleep(systemClock, 1_000);
        },
      });
      await expectUnharmed(replica.url, outcome);
    },
    timeLimitMs,
  );

  test(
    "a restored backup: leases from after it are refused, and its tasks are done",
    async () => {
      await using server = await startOwnPostgres();
      await using gap = await createTcpGap(server.url);
      const open = async () =>
        createQueue({
          store: await openPostgresQueueStore({ url: gap.url, schema: schemaName }),
          clock: systemClock,
          random: systemRandom,
        });
      await using queue = await open();
      const kinds = ["work"];
      await queue.add(Array.from({ length: 40 }, (_, n) => ({ kind: "work", key: `${n}` })));
      const outcome = { kind: "done" } as const;
      const before = await queue.claim({ worker: "w", kinds, limit: 10 });
      const restored = await createCopy(server);

      // Of all this the backup knows nothing.
      const lostClaim = await queue.claim({ worker: "w", kinds, limit: 10 });
      expect(lostClaim.leases).toHaveLength(10);
      await gap.cut();
      await server.kill();
      await restored.start();
      gap.redirect(restored.url);
      await gap.mend();

      const finish = (leases: typeof before.leases) =>
        queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
      expect((await finish(before.leases)).map(({ status }) => status)).toEqual(
        before.leases.map(() => "done"),
      );
      expect((await finish(lostClaim.leases)).map(({ status }) => status)).toEqual(
        lostClaim.leases.map(() => "lost"),
      );
      const tokens = new Set(lostClaim.leases.map(({ token }) => token));
      const done: string[] = before.leases.map(({ key }) => key);
      for (;;) {
        const { leases } = await queue.claim({ worker: "v", kinds, limit: 7 });
        if (leases.length === 0) break;
        for (const { token } of leases) expect(token).toBeGreaterThan(Math.max(...tokens));
        const ends = await finish(leases);
        ends.forEach(({ status }, at) => status === "done" && done.push(leases[at]!.key));
      }
      // Also now that others have done them.
      expect((await finish(lostClaim.leases)).every(({ status }) => status === "lost")).toBe(true);
      expect([...done].sort()).toEqual(Array.from({ length: 40 }, (_, n) => `${n}`).sort());
    },
    timeLimitMs,
  );

  const isAble = canMount();
  if (!isAble) process.stderr.write("skipped: a full disk needs the right to mount (root)\n");

  test.skipIf(!isAble)(
    "the disk of the tables is full again and again",
    async () => {
      await using server = await startOwnPostgres();
      await using small = mountSmall(server, "tables", 48);
      await query(server.url, `create tablespace small location '${small.folder}'`);
      await query(server.url, "create database small tablespace small");
      const url = server.url.replace(/postgres$/, "small");
      const outcome = await weatherStorm({
        store: { url, schema: schemaName },
        strikes,
        strike: async () => {
          small.fill();
          await sleep(systemClock, 1_500);
          small.free();
          await sleep(systemClock, 300);
        },
      });
      await expectUnharmed(url, outcome);
      expect(outcome.failures["disk_full"]).toBeGreaterThan(0);
    },
    timeLimitMs,
  );

  test.skipIf(!isAble)(
    "the disk of the whole server is full, and it stops",
    async () => {
      let small: Small | undefined;
      await using server = await startOwnPostgres({
        settings: ["min_wal_size=32MB", "max_wal_size=64MB"],
        prepareFolder: async (folder) => void (small = mountAt(folder, 400)),
      });
      const outcome = await weatherStorm({
        store: { url: server.url, schema: schemaName },
        strikes,
        strike: async () => {
          small!.fill();
          await sleep(systemClock, 1_500);
          small!.free();
          await sleep(systemClock, 300);
          await server.stop();
          await server.start();
        },
      });
      await expectUnharmed(server.url, outcome);
      await server.stop();
      small![Symbol.dispose]();
    },
    timeLimitMs,
  );
});

interface Small extends Disposable {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  free(): void;
}

function mountAt(folder: string, megabytes: number): Small {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", folder]);
  const ballast = join(folder, "ballast");
  let isMounted = true;
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      const block = Buffer.alloc(bsize);
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail - 4) * bsize));
        for (;;) appendFileSync(ballast, block);
      } catch {
        // ENOSPC: it is full
      }
    },
    free: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]() {
      if (isMounted) execFileSync("umount", ["-l", folder]);
      isMounted = false;
    },
  };
}

/** For a tablespace: the server wants its folder empty and its own. */
function mountSmall(server: OwnPostgres, name: string, megabytes: number) {
  const top = join(server.folder, name);
  mkdirSync(top, { mode: 0o711 });
  const small = mountAt(top, megabytes);
  const folder = join(top, "space");
  mkdirSync(folder, { mode: 0o700 });
  if (server.owner) chownSync(folder, server.owner.uid, server.owner.gid);
  return {
    ...small,
    folder,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      small[Symbol.dispose]();
    },
  };
}

/** The data of a server as it is on its disk between two moments: a cold copy without a stop. */
async function createCopy(server: OwnPostgres) {
  return server.createAnother(async (data) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query("select pg_backup_start('copy', true)");
    execFileSync("cp", ["-a", server.data, data]);
    const { rows } = await client.query<{ labelfile: string }>("select * from pg_backup_stop()");
    await client.end();
    // What was written until the end of the copy, which is needed to make it whole.
    execFileSync("cp", ["-a", "-u", join(server.data, "pg_wal"), data]);
    rmSync(join(data, "postmaster.pid"), { force: true });
    const label = join(data, "backup_label");
    writeFileSync(label, rows[0]!.labelfile, { mode: 0o600 });
    if (server.owner) chownSync(label, server.owner.uid, server.owner.gid);
  });
}

/** A server that follows another, until it takes over by command. */
async function createReplica(server: OwnPostgres) {
  const copy = await createCopy(server);
  const { port, password } = new URL(server.url);
  const way = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
  appendFileSync(join(copy.data, "postgresql.auto.conf"), `primary_conninfo = '${way}'\n`);
  const signal = join(copy.data, "standby.signal");
  writeFileSync(signal, "");
  if (server.owner) chownSync(signal, server.owner.uid, server.owner.gid);
  return copy;
}
