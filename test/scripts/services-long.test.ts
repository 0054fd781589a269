// needs: postgres15 pgbouncer
// long: pooler
import pg from "pg";
import { expect, test } from "vitest";
import { needs } from "../support/services.ts";

needs(["postgres15", "pgbouncer"], ({ postgres15, pgbouncer }) => {
  const ask = async (connectionString: string, ...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const answers: unknown[] = [];
    for (const statement of statements) {
      answers.push(Object.values((await client.query<object>(statement)).rows[0] ?? {})[0]);
    }
    await client.end();
    return answers;
  };

  test("the other PostgreSQL is version 15", async () => {
    expect(await ask(postgres15.url, "show server_version")).toEqual([
      expect.stringMatching(/^15\./),
    ]);
  });

  test("pgbouncer gives a session for one transaction only", async () => {
    const clients = await Promise.all(
      ["one", "two"].map(async () => {
        const client = new pg.Client({ connectionString: pgbouncer.url });
        await client.connect();
        return client;
      }),
    );
    const [one, two] = clients as [pg.Client, pg.Client];
    const pid = "select pg_backend_pid() as pid";
    const { rows: first } = await one.query<{ pid: number }>(pid);
    await one.query("begin");
    await two.query("begin"); // takes the session that `one` had, or `one` has it again
    const { rows } = await two.query<{ pid: number }>(pid);
    const { rows: again } = await one.query<{ pid: number }>(pid);
    expect([again[0]!.pid, rows[0]!.pid]).toContain(first[0]!.pid);
    expect(again[0]!.pid).not.toBe(rows[0]!.pid);
    for (const client of clients) await client.end();
    expect(await ask(pgbouncer.directUrl, "show server_version")).toEqual([
      expect.stringMatching(/^18\./),
    ]);
  });
});
