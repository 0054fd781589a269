import pg from "pg";
import { expect, test } from "vitest";
import { sleep, systemClock } from "../../../../base/clock.ts";
import { createId } from "../../../../base/ids.ts";
import { systemRandom } from "../../../../base/random.ts";
import { weatherStorm, unharmed } from "./storm.ts";
import { createTcpGap } from "./tcp-gap.ts";
import { createTestSchema, type TestSchema } from "./test-schema.ts";

export interface ChaosSuiteOptions {
  readonly url: string;
  readonly strikes: number;
}

const timeLimitMs = 300_000;

/** Faults of a server that is shared with others, without harm to its other users. */
export function chaosSuite({ url, strikes }: ChaosSuiteOptions): void {
  test(
    "all sessions are killed again and again: nothing is lost, nothing done twice",
    async () => {
      await using schema = await createTestSchema(url);
      const name = `storm ${createId(systemRandom)}`;
      let killed = 0;
      const outcome = await weatherStorm({
        store: { url: `${url}?application_name=${name}`, schema: schema.name },
        strikes,
        strike: async () => {
          const ended = await schema.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
            [name],
          );
          killed += ended.length;
        },
      });
      expect(outcome).toMatchObject(unharmed);
      expect(killed).toBeGreaterThanOrEqual(strikes);
      await expectSame(schema, outcome.added);
    },
    timeLimitMs,
  );

  test(
    "the server is gone and comes back: nothing is lost, nothing done twice",
    async () => {
      await using schema = await createTestSchema(url);
      await using gap = await createTcpGap(url);
      const outcome = await weatherStorm({
        store: { url: gap.url, schema: schema.name },
        strikes: Math.ceil(strikes / 2),
        strike: async () => {
          await gap.cut();
          await sleep(systemClock, 150);
          await gap.mend();
          await sleep(systemClock, 300);
        },
      });
      expect(outcome).toMatchObject(unharmed);
      expect(Object.keys(outcome.failures)).not.toEqual([]);
      await expectSame(schema, outcome.added);
    },
    timeLimitMs,
  );

  test(
    "a stranger takes every connection: nothing is lost, nothing done twice",
    async () => {
      // Uses its own user, so that other tests on this server keep their connections.
      await using limitedUser = await createLimitedUser(url, 12);
      await using schema = await createTestSchema(url);
      await using gap = await createTcpGap(limitedUser.url);
      let refused = 0;
      const outcome = await weatherStorm({
        store: { url: gap.url, schema: schema.name },
        strikes: Math.ceil(strikes / 2),
        strike: async () => {
          await gap.cut();
          const strangers = await takeAll(limitedUser.url);
          // Lost sessions cannot be replaced until the other connections are closed.
          await gap.mend();
          await sleep(systemClock, 300);
          refused += 1;
          await Promise.all(strangers.map((client) => client.end()));
          await sleep(systemClock, 200);
        },
      });
      expect(outcome).toMatchObject(unharmed);
      expect(refused).toBe(Math.ceil(strikes / 2));
      expect(Object.keys(outcome.failures)).not.toEqual([]);
      await expectSame(schema, outcome.added);
    },
    timeLimitMs,
  );
}

/** Also compares with a count of the tables themselves. */
export async function expectSame(schema: TestSchema, added: number): Promise<void> {
  const rows = await schema.query(
    `select state, count(*)::int as count from ${schema.quoted}.task group by state`,
  );
  expect(rows).toEqual([{ state: 5, count: added }]);
}

/** Opens connections until the server refuses. */
async function takeAll(connectionString: string): Promise<readonly pg.Client[]> {
  const strangers: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString });
    client.on("error", () => {});
    try {
      await client.connect();
    } catch (error) {
      expect((error as { code?: string }).code).toBe("53300");
      return strangers;
    }
    strangers.push(client);
  }
}

/** Creates a user with a connection limit who may create schemas; it is dropped after the test. */
async function createLimitedUser(url: string, connections: number) {
  const name = `limited_${createId(systemRandom)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create role ${name} login password 'limited' connection limit ${connections}`);
  await admin.query(`grant create on database ${pg.escapeIdentifier(admin.database!)} to ${name}`);
  const address = new URL(url);
  address.username = name;
  address.password = "limited";
  return {
    url: address.href,
    async [Symbol.asyncDispose]() {
      await admin.query(`drop owned by ${name} cascade`);
      await admin.query(`drop role ${name}`);
      await admin.end();
    },
  };
}
