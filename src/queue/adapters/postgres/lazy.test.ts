// needs: postgres
// inputs: scripts/services/** src/queue/** src/base/**
import { expect, test } from "vitest";
import { startOwnPostgres } from "../../../../test/support/own-postgres.ts";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createQueue } from "../../create-queue.ts";
import type { LazyKind } from "./write/lazy-kind.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const open = async (options: Parameters<typeof openPostgresQueueStore>[0]) =>
  createQueue({
    store: await openPostgresQueueStore(options),
    clock: systemClock,
    random: systemRandom,
  });

needs(["postgres"], ({ postgres }) => {
  /** How each kind of operation asked the server to commit, seen where it writes. */
  async function commitsOf(query: string, lazy?: readonly LazyKind[]) {
    await using schema = await createTestSchema(postgres.url);
    const url = `${postgres.url}${query}`;
    await using queue = await open({ url, schema: schema.name, ...(lazy ? { lazy } : {}) });
    const at = schema.quoted;
    await schema.query(`create table ${at}.seen (kind text, setting text)`);
    await schema.query(`create function ${at}.note() returns trigger language plpgsql as $$
      begin
        insert into ${at}.seen values (
          case when tg_op = 'INSERT' then 'add' when new.state = 4 then 'claim' else 'finish' end,
          current_setting('synchronous_commit'));
        return new;
      end $$`);
    await schema.query(`create trigger note after insert or update on ${at}.task
      for each row execute function ${at}.note()`);
    for (const gate of ["", "g"]) {
      await queue.add([{ kind: "a", ...(gate ? { gate } : {}) }]);
      const { leases } = await queue.claim({ worker: "w", kinds: ["a"], limit: 1 });
      expect(leases).toHaveLength(1);
      const outcome = { kind: "done" } as const;
      await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
    }
    const rows = await schema.query<{ kind: string; setting: string }>(
      `select distinct kind, setting from ${at}.seen`,
    );
    return Object.fromEntries(rows.map(({ kind, setting }) => [kind, setting]));
  }

  test("by default every write is on the server's disk before it is acknowledged", async () => {
    expect(await commitsOf("")).toEqual({ add: "on", claim: "on", finish: "on" });
  });

  test.each<readonly [readonly LazyKind[]]>([[["add"]], [["claim"]], [["finish"]]])(
    "%j alone is lazy when that is asked for, by option and by address",
    async (lazy) => {
      const wanted = { add: "on", claim: "on", finish: "on", [lazy[0]!]: "off" };
      expect(await commitsOf("", lazy)).toEqual(wanted);
      expect(await commitsOf(`?lazy=${lazy.join(",")}`)).toEqual(wanted);
    },
  );

  test("the address has the last word", async () => {
    const all = { add: "on", claim: "on", finish: "on" };
    expect(await commitsOf("?lazy=", ["add", "claim", "finish"])).toEqual(all);
  });

  test("what was acknowledged survives kill -9 of the server", async () => {
    await using server = await startOwnPostgres();
    const added = new Set<string>();
    const done = new Set<string>();
    for (let crash = 0; crash < 3; crash++) {
      await using queue = await open({ url: server.url, connectMs: 3_000 });
      let isDown = false;
      const works = ["a", "b"].map(async (worker) => {
        for (let round = 0; !isDown; round++) {
          const keys = Array.from({ length: 5 }, (_, n) => `${crash}-${worker}-${round}-${n}`);
          await queue.add(keys.map((key) => ({ kind: worker, key })));
          for (const key of keys) added.add(key);
          const { leases } = await queue.claim({ worker, kinds: [worker], limit: 5 });
          const outcome = { kind: "done" } as const;
          const ended = await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
          ended.forEach(({ status }, at) => status === "done" && done.add(leases[at]!.key));
        }
      });
      const ends = Promise.allSettled(works);
      const before = done.size;
      while (done.size < before + 100) await new Promise((resolve) => void setImmediate(resolve));
      await server.kill();
      isDown = true;
      await ends;
      await server.start();
      const states = new Map<string, string>();
      for (let afterId = 0; ;) {
        const page = await queue.browse({ afterId, limit: 500 });
        for (const { key, state } of page) states.set(key, state);
        if (page.length === 0) break;
        afterId = page.at(-1)!.id;
      }
      expect([...added].filter((key) => !states.has(key))).toEqual([]);
      expect([...done].filter((key) => states.get(key) !== "done")).toEqual([]);
      expect((await queue.reconcile()).drift).toEqual([]);
    }
    expect(done.size).toBeGreaterThanOrEqual(300);
  });
});
