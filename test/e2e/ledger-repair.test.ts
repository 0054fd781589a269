// inputs: src/** package.json tsconfig.json tsconfig.build.json
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

const bucket = "--bucket dir:fleet";
const on = (node: string) => {
  const words = (line: string) => [...line.split(" "), "--data", node];
  const run = (line: string) => sandbox.forager(words(line));
  const json = async <T>(line: string, exitCode = 0) => {
    const result = await sandbox.forager([...words(line), "--json"]);
    expect(result.exitCode, result.stdout + result.stderr).toBe(exitCode);
    return JSON.parse(result.stdout) as T;
  };
  const digest = async () => (await json<{ digest: string }>("ledger verify")).digest;
  const fields = async () => (await json<object[]>("ledger log")).length;
  return { run, json, digest, fields };
};

/** One process writes five segments of three fields each: fifteen fields of one session. */
async function publishFive(node: string) {
  const program = join(repositoryRoot, "test/support/publish-segments.ts");
  const tsx = import.meta.resolve("tsx");
  const args = ["--import", tsx, program, join(sandbox.folder, node)];
  const { exitCode, stderr } = await sandbox.run(process.execPath, [...args, "dir:fleet", "5"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return segments();
}

/** The files of all segments in the bucket, in order. */
function segments(): readonly string[] {
  const folder = join(sandbox.folder, "fleet/ledger/wal");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^\d{12}\.usv$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
const seen = (name: string) => name.slice(name.indexOf("ledger/wal"));

describe("a segment that was deleted from the bucket", () => {
  test("readers and hub get all fifteen fields after the author's next sync", async () => {
    const [author, reader, hub] = [on("author"), on("reader"), on("hub")];
    const files = await publishFive("author");
    expect(files).toHaveLength(5);
    const lost = readFileSync(files[1]!);
    rmSync(files[1]!);

    const stuck = await reader.run(`ledger sync ${bucket}`);
    expect(stuck.exitCode).toBe(3);
    expect(stuck.stderr).toContain(`${seen(files[1]!)} is missing`);
    expect(await reader.fields()).toBe(3);
    expect(await hub.json(`ledger compact ${bucket}`, 3)).toMatchObject({
      datagrams: 3,
      faults: [expect.stringContaining(seen(files[1]!))],
    });

    const mended = await author.run(`ledger sync ${bucket}`);
    expect(mended).toMatchObject({ exitCode: 0 });
    expect(mended.stdout).toContain("1 missing segment put back");
    expect(readFileSync(files[1]!).equals(lost)).toBe(true);

    expect(await reader.json(`ledger sync ${bucket}`)).toMatchObject({ faults: [] });
    const { fields } = await reader.json<{ fields: object[] }>("ledger show company/5");
    expect(fields).toMatchObject([{ value: "5 a" }, { value: "5 b" }, { value: "5 c" }]);
    const folded = await hub.json(`ledger compact ${bucket}`);
    expect(folded).toMatchObject({ status: "done", faults: [] });
    for (const node of [author, reader, hub]) await node.json(`ledger sync ${bucket}`);
    expect(await reader.digest()).toBe(await author.digest());
    expect(await hub.digest()).toBe(await author.digest());
  });

  test("status and doctor say so on a node that misses it, until it is back", async () => {
    const [author, reader] = [on("author"), on("reader")];
    const files = await publishFive("author");
    rmSync(files[3]!);
    await reader.run(`ledger sync ${bucket}`);
    const status = await reader.run("status");
    expect(status.exitCode).toBe(3);
    expect(status.stdout).toContain(`the last sync: ${seen(files[3]!)} is missing`);
    expect((await reader.run("ledger status")).exitCode).toBe(1);
    expect((await reader.run("doctor")).stdout).toMatch(/^ledger +warn .* is missing/m);
    await author.run(`ledger sync ${bucket}`);
    await reader.run(`ledger sync ${bucket}`);
    expect((await reader.run("status")).stdout).toContain("nothing needs attention");
    expect((await reader.run("ledger status")).exitCode).toBe(0);
    expect((await reader.run("doctor")).stdout).toMatch(/^ledger +ok /m);
  });

  test("ledger verify --bucket lists what is missing or damaged, and --repair mends it", async () => {
    const [author, reader] = [on("author"), on("reader")];
    const files = await publishFive("author");
    const bytes = files.map((file) => readFileSync(file));
    rmSync(files[1]!);
    truncateSync(files[2]!, 40);
    const flipped = Buffer.from(bytes[4]!);
    flipped[flipped.length - 30]! ^= 1;
    writeFileSync(files[4]!, flipped);

    const other = await reader.run(`ledger verify ${bucket} --repair`);
    expect(other.exitCode).toBe(3);
    expect(other.stdout).toContain(`${seen(files[1]!)} is missing: datagrams 4 to 6 of `);
    expect(other.stdout).toContain(`${seen(files[2]!)} is damaged: datagrams 7 to 9 of `);
    expect(other.stdout).toContain("run `forager ledger verify --repair` on ");
    type Reported = { bucket: { segments: number; faults: { isRepaired: boolean }[] } };
    const reported = await author.json<Reported>(`ledger verify ${bucket}`, 3);
    expect(reported.bucket.segments).toBe(2);
    expect(reported.bucket.faults).toMatchObject([
      { object: seen(files[1]!), state: "missing", first: 4, last: 6, isOwn: true },
      { object: seen(files[2]!), state: "damaged", isRepairable: true, isRepaired: false },
      { object: seen(files[4]!), state: "damaged", isRepairable: true, isRepaired: false },
    ]);
    expect((await author.run(`ledger verify ${bucket}`)).stdout).toContain("--repair puts it back");
    expect(segments()).toHaveLength(4);

    const repaired = await author.json<Reported>(`ledger verify ${bucket} --repair`);
    expect(repaired.bucket.faults.map(({ isRepaired }) => isRepaired)).toEqual([true, true, true]);
    expect(segments().map((file) => readFileSync(file).toString())).toEqual(
      bytes.map((one) => one.toString()),
    );
    const sound = await reader.run(`ledger verify ${bucket}`);
    expect(sound.exitCode).toBe(0);
    expect(sound.stdout).toContain("bucket: 5 segments of 1 node beyond the newest checkpoint");
  });

  test("a journal that was moved away comes back from the bucket, with no checkpoint", async () => {
    const [author, reader] = [on("author"), on("reader")];
    await publishFive("author");
    // This also writes how the node makes ids.
    await author.run("ledger set company/5 d=0");
    await author.run(`ledger sync ${bucket}`);
    const before = await author.digest();
    renameSync(join(sandbox.folder, "author/wal"), join(sandbox.folder, "away"));
    const lost = await author.run("ledger verify");
    expect(lost.exitCode).toBe(1);
    expect(lost.stdout).toContain("17 datagrams of this node missing here");
    expect(await author.json(`ledger sync ${bucket}`)).toMatchObject({ pulled: 17, faults: [] });
    expect(await author.digest()).toBe(before);
    await author.run("ledger set company/5 d=1");
    await author.run(`ledger sync ${bucket}`);
    await reader.run(`ledger sync ${bucket}`);
    expect(await reader.digest()).toBe(await author.digest());
  });
});
