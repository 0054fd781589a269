// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openQueue } from "../../src/app/index.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

let sandbox: Sandbox;
const children: ChildProcess[] = [];
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  sandbox.remove();
});

const startWorker = (): ChildProcess => {
  const program = join(repositoryRoot, "test/support/campaign-worker.ts");
  const child = spawn(process.execPath, ["--import", "tsx", program, join(sandbox.folder, "d")], {
    cwd: repositoryRoot,
    stdio: ["ignore", "inherit", "inherit"],
  });
  children.push(child);
  return child;
};

test("workers that share queue and ledger are killed with -9: every place is a company, every tile has its witness", async () => {
  const forager = async (line: string) => {
    const result = await sandbox.forager([...line.split(" "), "--data", "d", "--json"]);
    return JSON.parse(result.stdout) as Record<string, unknown>;
  };
  await forager(
    "campaign new munich --phrase plumber --location M@48.15,11.55 --proximity-km 10 --source p.jsonl",
  );
  const places = Array.from({ length: 450 }, (_, index) => ({
    id: `p/${index}`,
    name: `Plumber ${index}`,
    latitude: 48.0 + (index % 30) / 100,
    longitude: 11.4 + Math.floor(index / 30) / 50,
  }));
  writeFileSync(
    join(sandbox.folder, "d", "campaigns", "munich", "p.jsonl"),
    places.map((place) => JSON.stringify(place)).join("\n"),
  );
  const { targets: tiles } = await forager("campaign dispatch munich");
  expect(tiles).toBe(9);

  await using queue = await openQueue(`sqlite:${join(sandbox.folder, "d", "queue.db")}`);
  // Skipped: it was killed between its witness and its end, and found the witness there.
  const done = async () => {
    const job = await queue.job("munich");
    return (job?.done ?? 0) + (job?.skipped ?? 0);
  };
  let victim = startWorker();
  const rest = [startWorker()];
  for (let kills = 0; kills < 2; kills++) {
    const before = await done();
    const hasGoneOn = async () => {
      const now = await done();
      return now > before || now === 9;
    };
    await expect.poll(hasGoneOn, { interval: 10 }).toBe(true);
    victim.kill("SIGKILL");
    await once(victim, "close");
    victim = startWorker();
  }
  rest.push(victim);
  for (const child of rest) if (child.exitCode === null) await once(child, "close");
  expect(rest.map(({ exitCode }) => exitCode)).toEqual([0, 0]);

  expect(await forager("campaign status munich")).toMatchObject({
    fresh: 9,
    never: 0,
    expired: 0,
    found: 450,
    tasks: { pending: 0, running: 0, failed: 0 },
  });
  expect(await done()).toBe(9);
  const log = ["ledger", "log", "--field", "name", "--limit", "10000", "--json", "--data", "d"];
  const rows = JSON.parse((await sandbox.forager(log)).stdout) as { readonly target: string }[];
  const targets = rows.map(({ target }) => target);
  expect(targets).toHaveLength(450);
  expect(new Set(targets).size).toBe(450);
  expect(await forager("ledger verify")).toMatchObject({ stranded: 0, cuts: [] });
});
