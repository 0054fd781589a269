// needs: postgres
import pg from "pg";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { sleep, systemClock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { retry } from "../../../base/retry.ts";
import { createQueue } from "../../create-queue.ts";
import type { Queue } from "../../queue.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTcpGap, type TcpGap } from "./testing/tcp-gap.ts";
import { createTestSchema, type TestSchema } from "./testing/test-schema.ts";

const taskCount = 400;
const workers = 4;

/** As a worker does it: what is unavailable is tried again, with the same request. */
const persist = <T>(work: () => Promise<T>): Promise<T> =>
  retry(work, {
    clock: systemClock,
    random: systemRandom,
    attempts: 100,
    delayMs: 20,
    delayMsMax: 300,
  });

interface Chaos {
  readonly schema: TestSchema;
  readonly gap: TcpGap;
  readonly url: string;
  /** Calls `strike` again and again until all is done. */
  storm(strike: () => Promise<void>): Promise<Outcome>;
}
interface Outcome {
  readonly strikes: number;
  readonly lost: number;
  readonly doneTwice: number;
  readonly drift: readonly unknown[];
}

async function openChaos(url: string): Promise<Chaos & AsyncDisposable> {
  const schema = await createTestSchema(url);
  const gap = await createTcpGap(url);
  const open = async (way: string) =>
    createQueue({
      store: await openPostgresQueueStore({ url: way, schema: schema.name, connectMs: 2_000 }),
      clock: systemClock,
      random: systemRandom,
    });

  async function work(queue: Queue, worker: string, held: Map<number, Set<number>>) {
    for (let turn = 0; ; turn++) {
      const request = { worker, kinds: ["work"], limit: 5, requestId: `${worker}-${turn}` };
      const { leases } = await persist(() => queue.claim(request));
      if (leases.length === 0) {
        const { pending, running } = (await persist(() => queue.stats())).states;
        if (pending + running === 0) return;
        await sleep(systemClock, 5);
        continue;
      }
      const finishes = leases.map(({ id, token }) => ({
        id,
        token,
        outcome: { kind: "done" as const },
      }));
      const answers = await persist(() => queue.finish(finishes));
      answers.forEach(({ status }, index) => {
        const { id, token } = leases[index]!;
        if (status === "held") held.set(id, (held.get(id) ?? new Set()).add(token));
      });
    }
  }

  return {
    schema,
    gap,
    url,
    async storm(strike) {
      await using direct = await open(url);
      const tasks = Array.from({ length: taskCount }, (_, index) => ({
        kind: "work",
        key: `k${index}`,
        ...(index % 2 === 0 ? { gate: `g${index % 10}` } : {}),
      }));
      await direct.add(tasks);
      const queues = await Promise.all(Array.from({ length: workers }, () => open(gap.url)));
      const held = new Map<number, Set<number>>();
      let isOver = false;
      const working = Promise.all(queues.map((queue, index) => work(queue, `w${index}`, held)));
      void working.finally(() => (isOver = true)).catch(() => {});
      let strikes = 0;
      for (; !isOver; strikes++) {
        await strike();
        await sleep(systemClock, 100);
      }
      await working;
      for (const queue of queues) await queue[Symbol.asyncDispose]();
      const { done } = (await direct.stats()).states;
      const { drift } = await direct.reconcile();
      const doneTwice = [...held.values()].filter((tokens) => tokens.size > 1).length;
      return { strikes, lost: taskCount - done, doneTwice, drift };
    },
    async [Symbol.asyncDispose]() {
      await gap[Symbol.asyncDispose]();
      await schema[Symbol.asyncDispose]();
    },
  };
}

const unharmed = { lost: 0, doneTwice: 0, drift: [] };

needs(["postgres"], ({ postgres }) => {
  test("all sessions are killed again and again: nothing is lost, nothing done twice", async () => {
    await using chaos = await openChaos(postgres.url);
    const outcome = await chaos.storm(async () => {
      await chaos.schema.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'forager' and position($1 in query) > 0`,
        [chaos.schema.name.slice(-20)],
      );
    });
    expect(outcome).toMatchObject(unharmed);
    expect(outcome.strikes).toBeGreaterThan(2);
  }, 60_000);

  test("the server is gone and comes back: nothing is lost, nothing done twice", async () => {
    await using chaos = await openChaos(postgres.url);
    const outcome = await chaos.storm(async () => {
      await chaos.gap.cut();
      await sleep(systemClock, 150);
      await chaos.gap.mend();
      await sleep(systemClock, 300);
    });
    expect(outcome).toMatchObject(unharmed);
    expect(outcome.strikes).toBeGreaterThan(1);
  }, 60_000);

  test("a stranger takes every connection: nothing is lost, nothing done twice", async () => {
    // Of a user of its own, so that other tests on this server keep theirs.
    await using guest = await createGuest(postgres.url, 12);
    await using chaos = await openChaos(guest.url);
    let strangers: pg.Client[] = [];
    let refused = 0;
    const outcome = await chaos.storm(async () => {
      await chaos.gap.cut();
      for (;;) {
        const client = new pg.Client({ connectionString: guest.url });
        client.on("error", () => {});
        try {
          await client.connect();
          strangers.push(client);
        } catch {
          refused += 1;
          break;
        }
      }
      // Sessions that were lost cannot be replaced until the strangers leave.
      await chaos.gap.mend();
      await sleep(systemClock, 300);
      await Promise.all(strangers.map((client) => client.end()));
      strangers = [];
      await sleep(systemClock, 300);
    });
    expect(outcome).toMatchObject(unharmed);
    expect(refused).toBeGreaterThan(0);
  }, 60_000);
});

/** A user that may have so many connections and make schemas, gone with the test. */
async function createGuest(url: string, connections: number) {
  const name = `guest_${createId(systemRandom)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create role ${name} login password 'guest' connection limit ${connections}`);
  await admin.query(`grant create on database ${pg.escapeIdentifier(admin.database!)} to ${name}`);
  const address = new URL(url);
  address.username = name;
  address.password = "guest";
  return {
    url: address.href,
    async [Symbol.asyncDispose]() {
      await admin.query(`drop owned by ${name} cascade`);
      await admin.query(`drop role ${name}`);
      await admin.end();
    },
  };
}
