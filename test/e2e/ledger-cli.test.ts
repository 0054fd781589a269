// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

/** `forager … --data NODE`, its words parted by spaces. */
const on = (node: string) => {
  const words = (line: string) => [...line.split(" "), "--data", node];
  const run = (line: string) => sandbox.forager(words(line));
  const json = async (line: string, exitCode = 0) => {
    const result = await sandbox.forager([...words(line), "--json"]);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    return JSON.parse(result.stdout) as never;
  };
  return { run, json };
};
const bucket = "--bucket dir:fleet";

describe("forager ledger", () => {
  test("sets, shows, logs and verifies on one machine, with no bucket at all", async () => {
    const { run, json } = on("a");
    expect(
      await json("ledger set company/1 phone=+4989 rating:=4.5 --source site:https://x.de"),
    ).toEqual({
      target: "company/1",
      changed: ["phone", "rating"],
      cut: [],
    });
    expect((await run("ledger set company/1 phone=+4989")).stdout).toContain("nothing changed");
    await run("ledger set company/1 --unset rating --source hand:anna");
    const { fields } = await json("ledger show company/1");
    expect(fields).toMatchObject([{ field: "phone", value: "+4989", source: "site:https://x.de" }]);
    const table = await run("ledger log --target company/1");
    expect(table.stdout.split("\n").filter((line) => line.includes("company/1"))).toHaveLength(3);
    const verified = await run("ledger verify");
    expect(verified.stdout).toMatch(/checkpoint 0 and 4 datagrams are sound\n[0-9a-f]{64}\n$/);
    expect(await json("ledger conflicts")).toEqual([]);
    expect(await json("ledger quarantine")).toEqual([]);
    const status = await json("ledger status");
    expect(status).toMatchObject({ unpublished: 4, checkpoint: 0, quarantined: 0, cuts: [] });
    expect((await run("node show")).stdout).toMatch(/^[0-9a-z]{13} \(/);
  });

  test("syncs, compacts and joins: three nodes end with one digest", async () => {
    // Each node that writes also says once how it makes ids of companies.
    const [a, b, c] = [on("a"), on("b"), on("c")];
    await a.run("ledger set company/1 phone=1 --source hand:anna");
    await b.run("ledger set company/1 phone=2 --source hand:bob");
    expect(await a.json(`ledger sync ${bucket} --dry-run`)).toEqual({ toPublish: 2, toPull: 0 });
    expect((await a.run(`ledger sync ${bucket}`)).stdout).toContain("2 datagrams published");
    await b.run(`ledger sync ${bucket}`);
    const compacted = await b.json(`ledger compact ${bucket}`);
    expect(compacted).toMatchObject({ status: "done", checkpoint: 1, datagrams: 4 });
    expect(await c.json(`node join ${bucket}`)).toMatchObject({ checkpoint: 1, faults: [] });
    await a.run(`ledger sync ${bucket}`);
    const digests: string[] = [];
    for (const node of [a, b, c]) {
      await node.run(`ledger sync ${bucket}`);
      const { digest } = (await node.json("ledger verify")) as { digest: string };
      digests.push(digest);
    }
    expect(new Set(digests).size).toBe(1);

    const [conflict] = (await c.json("ledger conflicts")) as { dot: string; value: string }[];
    const restored = await c.run(`ledger restore company/1 ${conflict!.dot}`);
    expect(restored.stdout).toContain("phone of company/1 was restored");
    const { fields } = (await c.json("ledger show company/1")) as { fields: object[] };
    expect(fields).toMatchObject([{ field: "phone", value: conflict!.value }]);

    const hub = await c.run(`hub status ${bucket}`);
    expect(hub.stdout).toMatch(/hub \w{13}, epoch 1, released.*\ncheckpoint 1 of .* datagrams/);
    const nodes = (await c.json(`node list ${bucket}`)) as object[];
    expect(nodes).toHaveLength(2);
    const before = await c
      .json(`ledger show company/1 --at 2020-01-01 ${bucket}`, 1)
      .catch(() => null);
    expect(before).toBeNull();
  });

  test("bucket.url names the bucket once and for all, a relative folder in the data folder", async () => {
    const { run, json } = on("a");
    await run("ledger set company/1 phone=1");
    const refused = await run("ledger sync");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("or set bucket.url");
    writeFileSync(join(sandbox.folder, "forager.toml"), 'bucket.url = "dir:fleet"\n');
    expect((await run("ledger sync")).stderr).toContain("does not exist");
    await run(`bucket create dir:${join(sandbox.folder, "a/fleet")}`);
    expect((await run("ledger sync")).stdout).toContain("2 datagrams published");
    expect(readdirSync(join(sandbox.folder, "a/fleet/ledger/heads"))).toHaveLength(1);
    expect(await json("ledger compact")).toMatchObject({ status: "done", datagrams: 2 });
    expect(await json("node list")).toHaveLength(1);
    expect(await json("hub status")).toMatchObject({ checkpoint: { number: 1 } });
    expect((await run("config show")).stdout).toMatch(/bucket\.url +dir:fleet/);
  });

  test("forgets a target here and in the bucket, and says where copies remain", async () => {
    const [a, b] = [on("a"), on("b")];
    await a.run("ledger set company/1 name=Secret");
    await a.run(`ledger compact ${bucket}`);
    expect((await a.run("ledger forget company/1")).stderr).toContain("pass --yes to confirm");
    expect(await a.json(`ledger forget company/1 --status ${bucket}`)).toMatchObject({
      isForgotten: false,
    });
    const left = await a.json(`ledger forget company/1 --yes ${bucket}`);
    expect(left).toMatchObject({ isForgotten: true, here: 0, segments: 1, checkpoints: [1] });
    await b.run(`node join ${bucket}`);
    expect((await b.run("ledger show company/1")).stdout).toContain("company/1 was forgotten");
    const before = `ledger show company/1 --at 2099-01-01 ${bucket}`;
    expect((await b.run(before)).stdout).toContain("company/1 was forgotten");
    expect((await a.run("ledger log")).stdout).not.toContain("Secret");
    expect((await a.run("ledger forget company/1 --undo")).stdout).toContain("no longer forgotten");
  });

  test("a hub runs until it is stopped, and records in the ledger what it did", async () => {
    const a = on("a");
    await a.run("ledger set company/1 phone=1");
    await a.run(`ledger sync ${bucket}`);
    let beside: ReturnType<typeof a.run> | undefined;
    const line = ["hub", "run", "--bucket", "dir:fleet", "--interval", "1s", "--data", "h"];
    const result = await sandbox.forager(line, {
      onStart: (kill) => {
        beside = (async () => {
          const status = async () => (await a.run(`hub status --json ${bucket}`)).stdout;
          await expect.poll(status, { interval: 200 }).toMatch(/"number": ?1\b/u);
          // A hub keeps nobody out of the ledger beside it.
          return on("h").run("ledger set company/2 phone=2");
        })().finally(() => kill("SIGTERM"));
      },
    });
    expect((await beside)?.stdout).toContain("1 of 1 fields");
    expect(result.stderr).toContain("checkpoint 1 was made");
    expect(result.stdout).toContain("made 1 checkpoint");
    expect(result.exitCode).toBe(0);
    await a.run(`ledger sync ${bucket}`);
    const { fields } = (await a.json("ledger show system/checkpoint")) as { fields: object[] };
    expect(fields).toMatchObject([{ field: "sync_checkpoint", value: { number: 1, epoch: 1 } }]);
  });

  test("an error is reported in one line", async () => {
    const { run } = on("a");
    for (const line of [
      "ledger set company phone=1",
      "ledger set company/1 phone",
      "ledger set company/1 x:={",
      "ledger set company/1",
      "ledger set company/.. a=b",
      "ledger sync",
      "ledger sync --bucket nowhere",
    ]) {
      const { exitCode, stdout, stderr } = await run(line);
      expect({ exitCode, stdout }, line).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toMatch(/^forager: [^\n]+\n$/);
    }
    expect(await run("ledger show company/none")).toMatchObject({ exitCode: 1, stdout: "" });
    await run("ledger set company/1 a=b");
    const folder = join(sandbox.folder, "a", "wal");
    const [node] = readdirSync(folder);
    const [day] = readdirSync(join(folder, node!));
    const file = join(folder, node!, day!);
    writeFileSync(file, readFileSync(file, "utf8").replace("journal\u001f1", "journal\u001f9"));
    const newer = await run("ledger show company/1");
    expect(newer).toMatchObject({ exitCode: 1, stdout: "" });
    expect(newer.stderr).toMatch(/^forager: .*newer version.*upgrade.*\n$/);
  });
});
