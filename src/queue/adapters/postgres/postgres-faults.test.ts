// needs: postgres
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { AppError } from "../../../base/app-error.ts";
import { readPlace } from "./connection/connection-options.ts";
import { openDatabase } from "./connection/database.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema } from "./testing/test-schema.ts";

const secret = "s3cr3t-of-mine";

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

/** The message, and those of all causes, with everything that a logger would print. */
function allText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = JSON.stringify(error, Object.getOwnPropertyNames(error));
  return `${error.message} ${fields} ${error.cause ? allText(error.cause) : ""}`;
}

test("an address that cannot be read is refused without quoting it", async () => {
  for (const url of [`postgres://u:${secret}@[bad/db`, `postgres://u:${secret}@h/d?lazy=never`]) {
    const error = await failure(openPostgresQueueStore({ url }));
    expect(error).toMatchObject({ kind: "invalid", code: "queue_address" });
    expect(allText(error)).not.toContain(secret);
  }
});

test("the name of a place holds no credentials", () => {
  const { name } = readPlace(`postgres://anna:${secret}@db.example.org:5433/work?schema=q`);
  expect(name).toBe("postgres://db.example.org:5433/work?schema=q");
});

test("a server that does not answer is unavailable, and says so without credentials", async () => {
  const url = `postgres://anna:${secret}@127.0.0.1:1/work`;
  const error = await failure(openPostgresQueueStore({ url, connectMs: 1_000 }));
  expect(error).toMatchObject({ kind: "unavailable", code: "queue_unreachable" });
  expect(allText(error)).not.toContain(secret);
});

needs(["postgres"], ({ postgres }) => {
  test("a wrong password is said so, and not repeated", async () => {
    const url = new URL(postgres.url);
    url.password = secret;
    const error = await failure(openPostgresQueueStore({ url: url.href }));
    expect(error).toMatchObject({ kind: "unavailable", code: "queue_login_refused" });
    expect(allText(error)).not.toContain(secret);
  });

  test("a database that is not there is said so", async () => {
    const url = new URL(postgres.url);
    url.pathname = "/nowhere";
    const error = await failure(openPostgresQueueStore({ url: url.href }));
    expect(error).toMatchObject({ kind: "unavailable", code: "queue_no_database" });
  });

  test("who waits too long for a lock gives up, and nothing is half done", async () => {
    await using schema = await createTestSchema(postgres.url);
    const options = { url: postgres.url, schema: schema.name, lockMs: 200 };
    const store = await openPostgresQueueStore(options);
    await store.commit([{ op: "setGate", gate: "g", limit: 2 }]);
    await schema.query("begin");
    await schema.query(`select 1 from ${schema.quoted}.gate for update`);
    const error = await failure(store.commit([{ op: "setGate", gate: "g", limit: 3 }]));
    expect(error).toMatchObject({ kind: "unavailable", code: "queue_busy" });
    await schema.query("rollback");
    expect(await store.gate("g")).toMatchObject({ limit: 2 });
    await store[Symbol.asyncDispose]();
  });

  test("a process that is stopped in the middle of a transaction does not hold the others up", async () => {
    await using schema = await createTestSchema(postgres.url);
    const place = { url: postgres.url, schema: schema.name };
    const store = await openPostgresQueueStore({ ...place, lockMs: 20_000 });
    await store.commit([{ op: "setGate", gate: "g", limit: 2 }]);
    const db = openDatabase({
      place: readPlace(`${postgres.url}?schema=${schema.name}`),
      statementMs: 20_000,
      lockMs: 20_000,
      clientIdleMs: 200,
      connectionsMax: 1,
      idleMax: 1,
      connectMs: 5_000,
      names: "auto",
    });
    // It has the lock and says no more; what it waits for can only happen once it has lost it.
    const stuck = db.transaction(async (session) => {
      await session.query("select 1 from @gate for update");
      await store.commit([{ op: "setGate", gate: "g", limit: 3 }]);
      await session.query("update @gate set delay_ms = 9");
    });
    const error = await failure(stuck);
    expect(error).toMatchObject({ kind: "unavailable", code: "queue_unreachable" });
    expect(await store.gate("g")).toMatchObject({ limit: 3 });
    await db.close();
    await store[Symbol.asyncDispose]();
  });

  test("sessions that the server ended are replaced without anyone noticing", async () => {
    await using schema = await createTestSchema(postgres.url);
    const store = await openPostgresQueueStore({ url: postgres.url, schema: schema.name });
    for (let round = 0; round < 3; round++) {
      await schema.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'forager' and query like '%' || $1 || '%'`,
        [schema.name.slice(-20)],
      );
      await store.commit([{ op: "setGate", gate: "g", limit: 2 + round }]);
      expect(await store.gate("g")).toMatchObject({ limit: 2 + round });
    }
    await store[Symbol.asyncDispose]();
  });
});
