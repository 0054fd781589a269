// needs: postgres
import pg from "pg";
import { describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { bucketSuite } from "../../testing/bucket-suite.ts";
import { bytes, textOf } from "../../testing/suite-fixture.ts";
import { openPostgresBucket } from "./postgres-bucket.ts";

needs(["postgres"], ({ postgres }) => {
  const { url } = postgres;
  const freshTable = () => `t_${createId(systemRandom, 12)}`;

  bucketSuite({
    name: "postgres",
    open: async () => {
      const table = freshTable();
      const open = () => openPostgresBucket({ url, table });
      return { bucket: await open(), openAnother: open };
    },
  });

  describe("a bucket in PostgreSQL", () => {
    test("can be opened by many nodes at once, the first time too", async () => {
      const table = freshTable();
      const opened = await Promise.all(
        Array.from({ length: 8 }, () => openPostgresBucket({ url, table })),
      );
      await opened[0]!.put("a", bytes("x"));
      expect(await textOf(opened[7]!, "a")).toBe("x");
      for (const bucket of opened) await bucket[Symbol.asyncDispose]();
    });

    test("equal bodies have different ETags", async () => {
      await using bucket = await openPostgresBucket({ url, table: freshTable() });
      const first = await bucket.put("a", bytes("same"));
      const second = await bucket.put("a", bytes("same"));
      expect(second.etag).not.toBe(first.etag);
    });

    test("refuses a newer format and a table of another program", async () => {
      const table = freshTable();
      await (await openPostgresBucket({ url, table }))[Symbol.asyncDispose]();
      await withClient(url, async (client) => {
        await client.query(`update ${table} set body = $1 where key = ''`, [
          Buffer.from('{"format":2,"more":true}'),
        ]);
        await client.query(`create table ${table}_other (id int primary key)`);
      });
      const open = (name: string) => openPostgresBucket({ url, table: name });
      await expect(open(table)).rejects.toMatchObject({ code: "bucket_newer" });
      await expect(open(`${table}_other`)).rejects.toMatchObject({ code: "not_a_bucket" });
    });

    test("names wrong credentials and a missing database; a server that is down is unavailable", async () => {
      const changed = (change: (url: URL) => void) => {
        const other = new URL(url);
        change(other);
        return openPostgresBucket({ url: other.href, table: freshTable() });
      };
      await expect(changed((other) => (other.password = "wrong"))).rejects.toMatchObject({
        code: "bucket_credentials",
      });
      await expect(changed((other) => (other.pathname = "/nowhere"))).rejects.toMatchObject({
        code: "bucket_missing",
      });
      await expect(changed((other) => (other.port = "9"))).rejects.toMatchObject({
        kind: "unavailable",
      });
    });

    test("a connection that the server ends leaves a write open; the next one works", async () => {
      const table = freshTable();
      await using bucket = await openPostgresBucket({ url, table });
      await bucket.put("a", bytes("one"));
      await withClient(url, async (client) => {
        await client.query("begin");
        await client.query(`lock table ${table}`);
        const put = bucket.put("a", bytes("two"));
        const failed = expect(put).rejects.toMatchObject({ code: "bucket_outcome_unknown" });
        await expect
          .poll(async () => {
            const { rowCount } = await client.query(
              `select pg_terminate_backend(pid) from pg_stat_activity
               where query like $1 and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
              [`insert into ${table}%`],
            );
            return rowCount;
          })
          .toBe(1);
        await failed;
        await client.query("rollback");
      });
      expect(await textOf(bucket, "a")).toBe("one");
      await bucket.put("a", bytes("three"));
      expect(await textOf(bucket, "a")).toBe("three");
    });
  });
});

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
