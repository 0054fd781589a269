// needs: postgres
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestSchema } from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { registry } from "../../src/cli/registry.ts";
import { addFinished, createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { needs } from "../support/services.ts";
import { steps } from "../../src/queue/adapters/postgres/connection/schema.ts";

const oneLine = /^forager: [^\n]+\n$/;
const tasks = (count: number, task: object = {}) =>
  Array.from({ length: count }, () => ({ kind: "a", ...task }));

needs(["postgres"], ({ postgres }) => {
  /** A sandbox whose queue is a schema of its own. */
  async function createSandbox(): Promise<
    QueueSandbox & { readonly sql: (text: string) => Promise<readonly object[]>; address: string }
  > {
    const schema = await createTestSchema(postgres.url);
    onTestFinished(() => schema[Symbol.asyncDispose]());
    const address = `${postgres.url}?schema=${encodeURIComponent(schema.name)}`;
    const sql = (text: string) => schema.query(text.replaceAll("@", `${schema.quoted}.`));
    return { ...(await createQueueSandbox(address)), sql, address };
  }

  describe("every queue command works on PostgreSQL", () => {
    const tried = new Set<string>();
    const commands = async () => {
      const sandbox = await createSandbox();
      const note = (words: string | readonly string[]) =>
        tried.add(typeof words === "string" ? words.split(" ")[0]! : words[0]!);
      const queue: QueueSandbox["queue"] = (words, options) => {
        note(words);
        return sandbox.queue(words, options);
      };
      const json: QueueSandbox["json"] = (words, exitCode) => {
        note(words);
        return sandbox.json(words, exitCode);
      };
      return { ...sandbox, queue, json };
    };

    test("add, list, show, stats", async () => {
      const { queue, json } = await commands();
      expect(await json(["add", "fetch", '{"n":1}', "--key", "k", "--gate", "g"])).toMatchObject({
        status: "added",
        id: 1,
      });
      expect((await queue("add fetch --key k --gate g")).stdout).toBe(
        "duplicate: task 1 has this key\n",
      );
      expect(await json("list --gate g")).toMatchObject({ tasks: [{ payload: { n: 1 } }] });
      expect(await json("show 1")).toMatchObject({ waiting: { reason: "worker_capacity" } });
      expect(await json("stats")).toMatchObject({ states: { pending: 1, running: 0 } });
    });

    test("import, twice", async () => {
      const { write, json } = await commands();
      const lines = Array.from({ length: 300 }, (_, n) =>
        JSON.stringify({ kind: "a", key: `${n}` }),
      );
      write("tasks.jsonl", lines.join("\n"));
      expect(await json("import tasks.jsonl")).toMatchObject({ added: 300, duplicate: 0 });
      expect(await json("import tasks.jsonl")).toMatchObject({ added: 0, duplicate: 300 });
    });

    test("job, jobs, pause, resume, seal, cancel", async () => {
      const { queue, json } = await commands();
      expect(await json("job j --concurrency 4")).toMatchObject({ concurrency: 4 });
      await queue("add a --job j");
      await queue("pause j");
      expect(await json("show 1")).toMatchObject({ waiting: { reason: "paused" } });
      expect(await json("resume j")).toMatchObject({ isPaused: false });
      expect((await queue("seal j")).stdout).toContain("completes after 1 task pending");
      expect((await queue("jobs")).stdout).toMatch(/^j +sealed /m);
      expect(await json("cancel j --yes")).toMatchObject({ ended: "cancelled", skipped: 1 });
    });

    test("gate, gates", async () => {
      const { queue, json } = await commands();
      await queue("add a --gate example.org");
      expect(await json("gate example.org --delay 2s --limit 3 --block 1h")).toMatchObject({
        delayMs: 2_000,
        limit: 3,
      });
      expect((await queue("gates")).stdout).toMatch(/^example\.org +2\.0s +3 +0 +blocked for 59m/m);
    });

    test("log, retry, purge, reconcile", async () => {
      const { use, json, queue, sql } = await commands();
      await use(async (opened) => {
        await addFinished(opened, tasks(3), "done");
        await addFinished(opened, tasks(2), "fail");
      });
      expect(await json("log")).toHaveLength(5);
      expect((await queue("failures")).exitCode).toBe(0);
      // Refused at most because there is no such host or task any more.
      expect([0, 2]).toContain((await queue("pacing example.org")).exitCode);
      expect([0, 2]).toContain((await queue("raise 1 --priority 900")).exitCode);
      expect(await json("retry --yes")).toEqual({ changed: 2 });
      expect(await json("purge --state done --yes")).toEqual({ changed: 3 });
      expect(await json("reconcile")).toEqual({ drift: [], orphans: 0, repaired: false });
      await sql(
        "update @lane_counter set done = done + 7 where stripe = (select max(stripe) from @lane_counter)",
      );
      expect((await queue("reconcile")).exitCode).toBe(1);
      expect(await json("reconcile --repair --yes")).toMatchObject({ repaired: true });
      expect((await queue("reconcile")).exitCode).toBe(0);
    });

    test("none was forgotten", () => {
      // `queue move` takes a SQLite file.
      const all = registry.commands.flatMap(
        ({ name }) => /^queue (?!move)(.+)$/.exec(name)?.[1] ?? [],
      );
      expect([...tried].sort()).toEqual(all.sort());
    });
  });

  describe("where it is, and who asks", () => {
    test("the password from a setting, from PGPASSWORD and from a file of passwords", async () => {
      const { forager, address, folder, write } = await createSandbox();
      const bare = address.replace(":forager@", "@");
      const list = (env: Record<string, string>) =>
        forager(["queue", "stats", "--queue", bare], { env });
      const none = await list({});
      expect(none).toMatchObject({ exitCode: 1, stdout: "" });
      expect(none.stderr).toMatch(oneLine);
      expect(none.stderr).toContain("asks for a password, and none is set");
      expect(await list({ FORAGER_QUEUE_PASSWORD: "forager" })).toMatchObject({ exitCode: 0 });
      expect(await list({ PGPASSWORD: "forager" })).toMatchObject({ exitCode: 0 });

      const file = join(folder, "passwords");
      write("passwords", "# mine\nelsewhere:*:*:*:wrong\n127.0.0.1:*:*:postgres:forager\n");
      chmodSync(file, 0o644);
      const open = await list({ PGPASSFILE: file });
      expect(open.exitCode).toBe(1);
      expect(open.stderr).toContain("other users can read it (chmod 600)");
      chmodSync(file, 0o600);
      expect(await list({ PGPASSFILE: file })).toMatchObject({ exitCode: 0 });
    });

    test("host, port, user and database from the PG* variables", async () => {
      const { forager, address } = await createSandbox();
      const { hostname, port, search } = new URL(address);
      const env = {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: "postgres",
        PGDATABASE: "postgres",
        PGPASSWORD: "forager",
      };
      const bare = `postgres:///${search}`;
      expect(await forager(["queue", "stats", "--queue", bare], { env })).toMatchObject({
        exitCode: 0,
      });
      const elsewhere = await forager(["queue", "stats", "--queue", bare], {
        env: { ...env, PGPORT: "1" },
      });
      expect(elsewhere.stderr).toContain("postgres://127.0.0.1:1/postgres");
    });
  });

  describe("doctor", () => {
    const doctor = async ({ forager }: QueueSandbox, address: string) => {
      const { exitCode, stdout, stderr } = await forager(["doctor", "--json", "--queue", address]);
      expect(stderr).toBe("");
      const all = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
      return { exitCode, rows: all.filter(({ check }) => check.startsWith("postgres")) };
    };

    test("says of each part of a server how it is", async () => {
      const sandbox = await createSandbox();
      await sandbox.queue("add a");
      const { exitCode, rows } = await doctor(sandbox, sandbox.address);
      expect(exitCode).toBe(0);
      expect(rows.map(({ check, state }) => [check, state])).toEqual(
        [
          "",
          " rights",
          " tables",
          " safety",
          " autovacuum",
          " connections",
          " clock",
          " bloat",
          " transactions",
          " notifications",
        ].map((name) => [`postgres${name}`, "ok"]),
      );
    });

    test("fails where the server cannot be used, and says why", async () => {
      const sandbox = await createSandbox();
      const wrong = sandbox.address.replace(":forager@", ":s3cr3t@");
      const { exitCode, rows } = await doctor(sandbox, wrong);
      expect(exitCode).toBe(1);
      expect(rows).toMatchObject([{ check: "postgres", state: "fail" }]);
      expect(rows[0]!.detail).toContain("refused the login");
      expect(JSON.stringify(rows)).not.toContain("s3cr3t");
    });

    test("warns of a setting that loses acknowledged writes", async () => {
      const sandbox = await createSandbox();
      const role = `lazy_${process.pid}`;
      await sandbox.sql(`create role ${role} superuser login password 'x'`);
      await sandbox.sql(`alter role ${role} set synchronous_commit = off`);
      // Doctor proves the bucket too, which is in the same database.
      onTestFinished(async () => {
        await sandbox.sql(`drop owned by ${role} cascade`);
        await sandbox.sql(`drop role ${role}`);
      });
      const address = sandbox.address.replace("postgres:forager@", `${role}:x@`);
      const { exitCode, rows } = await doctor(sandbox, address);
      expect(exitCode).toBe(0);
      expect(rows.filter(({ state }) => state !== "ok")).toMatchObject([
        { check: "postgres safety", state: "warn" },
      ]);
    });
  });

  describe("what goes wrong is one clear line", () => {
    const secret = "s3cr3t";
    const wrong = (change: (url: URL) => void) => {
      const url = new URL(postgres.url);
      change(url);
      return url.href;
    };
    const cases: readonly (readonly [string, string, string, number])[] = [
      ["a wrong password", wrong((url) => (url.password = secret)), "refused the login: check", 1],
      [
        "no such user",
        wrong((url) => ((url.username = "nobody-here"), (url.password = secret))),
        "refused the login: check user and password",
        1,
      ],
      [
        "no such database",
        wrong((url) => (url.pathname = "/nowhere")),
        "there is no such database",
        1,
      ],
      ["a server that is down", wrong((url) => (url.port = "1")), "cannot be reached", 1],
      [
        "a host that is none",
        wrong((url) => (url.hostname = "nowhere.invalid")),
        "cannot be reached",
        1,
      ],
      ["a parameter that is none", `${postgres.url}?shema=x`, "there is no shema, only schema", 2],
      ["a sslmode that is none", `${postgres.url}?sslmode=yes`, "not one of disable, allow", 2],
      [
        "a certificate that is not there",
        `${postgres.url}?sslmode=verify-full&sslrootcert=/nowhere.crt`,
        "the file of sslrootcert, /nowhere.crt, cannot be read",
        2,
      ],
      ["a server without TLS", `${postgres.url}?sslmode=require`, "does not support SSL", 1],
    ];

    test.each(cases)("%s", async (_, address, message, exitCode) => {
      const { queue } = await createQueueSandbox(address);
      for (const line of ["stats", "add a", "stats --verbose", "stats --json"]) {
        const result = await queue(line, { env: { FORAGER_LOG_LEVEL: "debug" } });
        expect({ exitCode: result.exitCode, stdout: result.stdout }, line).toEqual({
          exitCode,
          stdout: "",
        });
        if (!line.includes("--")) expect(result.stderr).toMatch(oneLine);
        expect(result.stderr).toContain(message);
        expect(result.stderr).not.toContain(secret);
        expect(result.stderr).not.toContain(":forager@");
      }
    });

    test("a user who may not make the tables, or not read them", async () => {
      const { address, sql, queue } = await createSandbox();
      const role = `guest_${process.pid}`;
      await sql(`create role ${role} login password '${secret}'`);
      onTestFinished(async () => void (await sql(`drop role ${role}`)));
      const url = new URL(address);
      url.username = role;
      url.password = secret;
      const guest = await createQueueSandbox(url.href);
      const refused = async () => {
        const { exitCode, stderr } = await guest.queue("stats");
        expect(exitCode).toBe(1);
        expect(stderr).toMatch(oneLine);
        expect(stderr).toContain("lacks rights on the queue");
        expect(stderr).not.toContain(secret);
      };
      await refused(); // it cannot make the schema
      await queue("add a");
      await refused(); // it cannot read what another made
    });

    test("a server that cannot be written, as a standby is", async () => {
      const { address, sql, queue } = await createSandbox();
      await queue("add a");
      const role = `reader_${process.pid}`;
      await sql(`create role ${role} superuser login password 'x'`);
      await sql(`alter role ${role} set default_transaction_read_only = on`);
      onTestFinished(async () => void (await sql(`drop role ${role}`)));
      const reader = await createQueueSandbox(address.replace("postgres:forager@", `${role}:x@`));
      expect(await reader.queue("list")).toMatchObject({ exitCode: 0 });
      const { exitCode, stderr } = await reader.queue("add a");
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain("cannot be written: this server is a standby or set to read only");
    });

    test("tables of a newer version, and tables that are gone", async () => {
      const { queue, sql } = await createSandbox();
      await queue("add a");
      await sql("update @meta set value = '999'");
      const newer = await queue("stats");
      expect(newer.exitCode).toBe(1);
      expect(newer.stderr).toMatch(oneLine);
      expect(newer.stderr).toContain("upgrade this program");
      await sql(`update @meta set value = '${steps.length}'`);
      await sql("drop table @task cascade");
      const gone = await queue("list");
      expect(gone.exitCode).toBe(1);
      expect(gone.stderr).toMatch(oneLine);
      expect(gone.stderr).toContain("the tables of the queue");
    });
  });
});
