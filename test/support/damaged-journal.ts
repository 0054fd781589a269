import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openLedgerFolder } from "../../src/app/ledger.ts";
import type { Sandbox } from "./built-cli.ts";
import { repositoryRoot } from "./repository.ts";

/** Ways in which a journal is lost. `isReadable`: what was written last can still be read. */
export const damages = {
  "a byte in the middle of a file is changed": {
    isReadable: true,
    do(wal: string) {
      const [file = ""] = journalsIn(wal);
      const bytes = readFileSync(file);
      bytes[Math.floor(bytes.length / 2)]! ^= 1;
      writeFileSync(file, bytes);
    },
  },
  "a file is cut in the middle": {
    isReadable: false,
    do(wal: string) {
      const [file = ""] = journalsIn(wal);
      truncateSync(file, Math.floor(readFileSync(file).length / 2));
    },
  },
  "a file is deleted": { isReadable: false, do: (wal: string) => rmSync(journalsIn(wal)[0]!) },
  "the folder is deleted": {
    isReadable: false,
    do: (wal: string) => rmSync(wal, { recursive: true }),
  },
} as const;

const journalsIn = (wal: string): readonly string[] =>
  readdirSync(wal, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^\d{8}\.usv$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

export interface DamageOptions {
  readonly sandbox: Sandbox;
  readonly damage: (typeof damages)[keyof typeof damages];
  readonly hasCheckpoint: boolean;
  readonly bucket: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Damages the journal of a node, does literally what the program advises, and checks that nothing
 * was written before its own history was back, and that all nodes agree afterwards.
 */
export async function expectSafeAdvice(options: DamageOptions): Promise<void> {
  const { sandbox, damage, hasCheckpoint, bucket } = options;
  const env = { ...options.env, FORAGER_BUCKET_URL: bucket };
  const on = (node: string) => {
    const run = (line: string) =>
      sandbox.forager(line.split(" "), { env: { ...env, FORAGER_DATA: node } });
    const good = async (line: string) => {
      const result = await run(line);
      expect(result.exitCode, `${line}\n${result.stdout}${result.stderr}`).toBe(0);
      return result.stdout;
    };
    return { run, good };
  };
  const publish = async (count: number) => {
    const program = join(repositoryRoot, "test/support/publish-segments.ts");
    const args = ["--import", import.meta.resolve("tsx"), program, join(sandbox.folder, "author")];
    const done = await sandbox.run(process.execPath, [...args, bucket, String(count)], { env });
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
  };
  const [author, reader] = [on("author"), on("reader")];
  await publish(3);
  if (hasCheckpoint) {
    await author.good("ledger compact");
    await author.good("ledger sync");
  }
  await publish(6);
  await author.good("ledger set company/own phone=+4989");
  damage.do(join(sandbox.folder, "author/wal"));

  const verified = await author.run("ledger verify");
  expect(verified.exitCode, verified.stdout).toBe(1);
  const advised = /`forager ([^`]+)`/.exec(verified.stdout + verified.stderr)?.[1];
  expect(advised, verified.stdout + verified.stderr).toBe("ledger sync");
  const early = await author.run("ledger set company/early phone=1");
  expect(early.exitCode, early.stdout).not.toBe(0);
  expect(early.stderr).toContain("nothing was written");
  expect(early.stderr).toContain(`\`forager ${advised}\``);

  await author.good(advised!);
  await author.good("ledger set company/6 later=1");
  await author.good("ledger sync");
  await reader.good("ledger sync");
  const open = (node: string) =>
    openLedgerFolder({ folder: join(sandbox.folder, node), isReader: true });
  await using mended = await open("author");
  await using other = await open("reader");
  expect(await other.digest()).toBe(await mended.digest());
  const valuesOf = async (target: string) =>
    Object.fromEntries((await other.read(target)).fields.map(({ field, value }) => [field, value]));
  for (const number of [1, 2, 3, 4, 5, 6]) {
    expect(await valuesOf(`company/${number}`)).toMatchObject({ c: `${number} c` });
  }
  expect(await valuesOf("company/early")).toEqual({});
  // It was never published: it is there if it could be read.
  expect(await valuesOf("company/own")).toEqual(damage.isReadable ? { phone: "+4989" } : {});
}
