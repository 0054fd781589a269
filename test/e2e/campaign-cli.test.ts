// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

const run = (line: string) => sandbox.forager([...line.split(" "), "--data", "d"]);
const json = async (line: string, exitCode = 0) => {
  const result = await run(`${line} --json`);
  expect(result.exitCode, result.stderr).toBe(exitCode);
  return JSON.parse(result.stdout) as Record<string, unknown>;
};
const inCampaign = (name: string) => join(sandbox.folder, "d", "campaigns", "munich", name);
const place = (id: string, latitude: number, longitude: number) =>
  `${JSON.stringify({ id, name: `Plumber ${id}`, latitude, longitude })}\n`;

/** 9 tiles × 2 phrases. */
async function makeMunich(proximityKm = 10): Promise<void> {
  const made = await run(
    `campaign new munich --phrase plumber,dentist --location Munich@48.15,11.55 --proximity-km ${proximityKm} --source places.jsonl`,
  );
  expect(made.stderr).toBe("");
  writeFileSync(inCampaign("places.jsonl"), place("a", 48.15, 11.55) + place("b", 1, 1));
}

describe("forager campaign", () => {
  test("new, plan, dispatch, status: from nothing to tasks, and a second time the same", async () => {
    await makeMunich();
    expect((await run("campaign new munich")).stderr).toContain(
      "there is a campaign munich already",
    );

    const dry = await json("campaign plan munich --dry-run");
    expect(dry).toMatchObject({
      tiles: 9,
      targets: 18,
      source: { places: 2, outside: 1, bad: 0 },
    });
    expect(() => readFileSync(inCampaign("targets.csv"))).toThrow("ENOENT");
    const plan = await run("campaign plan munich");
    expect(plan.stdout).toContain("9 tiles × 2 phrases = 18 targets");
    expect(plan.stderr).toContain("file:places.jsonl: 2 places, 1 of them outside every tile");
    const index = readFileSync(inCampaign("targets.csv"), "utf8").trimEnd().split("\r\n");
    expect(index).toHaveLength(19);
    expect(index).toContain("48.1_11.5,plumber,48.1,11.5,48.2,11.6,Munich");

    expect((await run("campaign dispatch munich --dry-run")).stdout).toBe(
      "18 of 18 targets are due\n",
    );
    expect(await json("campaign dispatch munich --canary 3")).toMatchObject({
      chosen: 3,
      added: 3,
    });
    expect(await json("campaign dispatch munich --batch 2")).toMatchObject({ due: 18, chosen: 2 });
    await json("campaign dispatch munich");
    expect(await json("campaign dispatch munich")).toMatchObject({ added: 0, duplicate: 18 });
    expect((await run("campaign dispatch munich")).stdout).toBe(
      "18 of 18 targets are due: 0 tasks added, 18 there already\n",
    );
    expect(await json("campaign status munich")).toMatchObject({
      campaign: "munich",
      tiles: 9,
      targets: 18,
      never: 18,
      tasks: { pending: 18, failed: 0 },
    });

    const witness = { at: new Date().toISOString(), found: 4, source: "file:x" };
    const assignment = `plumber:=${JSON.stringify(witness)}`;
    const line = "ledger set tile/48.1_11.5 --source system --data d".split(" ");
    await sandbox.forager([...line, assignment]);
    const status = await run("campaign status");
    expect(status.stdout.split("\n")[1]).toMatch(/^munich +9 +18 +1 +0 +0 +17 +4 +18 +0 +0$/);
    expect(await json("campaign dispatch munich --dry-run")).toMatchObject({ due: 17 });
  });

  test("kill -9 in the middle of a dispatch, then again: the queue has each target once", async () => {
    await makeMunich(300);
    const { targets } = (await json("campaign plan munich --dry-run")) as { targets: number };
    expect(targets).toBeGreaterThan(5_000);
    const killed = await sandbox.forager(["campaign", "dispatch", "munich", "--data", "d"], {
      onStart: (kill) => {
        // As soon as the first tasks are there, and long before the last.
        const wal = join(sandbox.folder, "d", "queue.db-wal");
        const timer = setInterval(() => {
          if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) < 500_000) return;
          clearInterval(timer);
          kill("SIGKILL");
        }, 1);
      },
    });
    expect(killed.exitCode).toBeNull();
    const half = (await json("campaign status munich")) as { tasks: { pending: number } };
    expect(half.tasks.pending).toBeGreaterThan(0);
    expect(half.tasks.pending).toBeLessThan(targets);
    expect(await json("campaign dispatch munich")).toMatchObject({
      added: targets - half.tasks.pending,
      duplicate: half.tasks.pending,
    });
    expect(await json("campaign status munich")).toMatchObject({ tasks: { pending: targets } });
  });

  test("what is wrong is told, and what to do about it", async () => {
    await makeMunich();
    const wrong = async (line: string, exitCode: number, words: string) => {
      const result = await run(line);
      expect(result.exitCode, result.stderr).toBe(exitCode);
      expect(result.stderr).toContain(words);
    };
    await wrong(
      "campaign plan",
      2,
      "which campaign? name it, or run this in its folder: there are munich",
    );
    await wrong(
      "campaign plan berlin",
      2,
      "`forager campaign new berlin` makes it; there are munich",
    );
    await wrong("campaign new Bad_Name", 2, "is no name for a campaign");
    await wrong("campaign new x --location nowhere", 2, "NAME@LAT,LON");
    await wrong("campaign new x --location a@91,0", 2, "degrees north from -90 to 90");
    await wrong("campaign dispatch munich --batch 1 --canary 1", 2, "give one of them");

    writeFileSync(inCampaign("places.jsonl"), `{\n${place("a", 48.15, 11.55)}`);
    await wrong("campaign plan munich", 3, "places.jsonl:1: it is not JSON");
    writeFileSync(inCampaign("config.toml"), 'phrases = ["a"]\nproximity-miles = 5\n');
    await wrong(
      "campaign plan munich",
      2,
      "config.toml:2: distances are in kilometres here: write proximityKm = 8",
    );
    mkdirSync(join(sandbox.folder, "d", "campaigns", "empty"), { recursive: true });
    const status = await run("campaign status empty");
    expect(status.stderr).toContain("there is no campaign empty");
  });
});
