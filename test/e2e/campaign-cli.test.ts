// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
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

/** A place in the middle of every tile, all around, and one far away. */
function everywhere(rows: number): string {
  const lines = [place("far", 1, 1)];
  for (let row = -rows; row <= rows; row++) {
    for (let column = -2 * rows; column <= 2 * rows; column++) {
      lines.push(place(`${row}.${column}`, 48.15 + row / 10, 11.55 + column / 10));
    }
  }
  return lines.join("");
}

/** 9 tiles × 2 phrases. */
async function makeMunich(proximityKm = 10): Promise<void> {
  const made = await run(
    `campaign new munich --phrase plumber,dentist --location Munich@48.15,11.55 --proximity-km ${proximityKm} --source places.jsonl`,
  );
  expect(made.stderr).toBe("");
  writeFileSync(inCampaign("places.jsonl"), everywhere(proximityKm === 10 ? 1 : 20));
}

describe("forager campaign", () => {
  test("new, plan, dispatch, status: from nothing to tasks, and a second time the same", async () => {
    await makeMunich();
    expect((await run("campaign new munich")).stderr).toContain(
      "the campaign munich already exists",
    );

    const dry = await json("campaign plan munich --dry-run");
    expect(dry).toMatchObject({
      tiles: 9,
      targets: 18,
      leftOut: 0,
      source: { places: 16, outside: 7, bad: 0 },
    });
    expect(() => readFileSync(inCampaign("targets.csv"))).toThrow("ENOENT");
    const plan = await run("campaign plan munich");
    expect(plan.stdout).toContain("9 tiles × 2 phrases = 18 targets");
    expect(plan.stderr).toContain("file:places.jsonl: 16 places, 7 of them outside every tile");
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
    expect(await json("campaign dispatch munich --batch 2")).toMatchObject({ due: 18, added: 2 });
    await json("campaign dispatch munich");
    expect(await json("campaign dispatch munich")).toMatchObject({ added: 0, duplicate: 9 });
    expect((await run("campaign dispatch munich")).stdout).toBe(
      "18 of 18 targets are due: 0 tasks added, 9 already in the queue\n",
    );
    expect(await json("campaign status munich")).toMatchObject({
      campaign: "munich",
      tiles: 9,
      targets: 18,
      never: 18,
      leftOut: 0,
      tasks: { pending: 9, failed: 0 },
    });

    const witness = { at: new Date().toISOString(), found: 4, source: "file:places.jsonl" };
    const assignment = `plumber:=${JSON.stringify(witness)}`;
    const line = "ledger set tile/48.1_11.5 --source system --data d".split(" ");
    await sandbox.forager([...line, assignment]);
    const status = await run("campaign status");
    expect(status.stdout.split("\n")[1]).toMatch(/^munich +9 +18 +1 +0 +0 +17 +0 +4 +9 +0 +0$/);
    expect(await json("campaign dispatch munich --dry-run")).toMatchObject({ due: 17 });
  });

  test("kill -9 in the middle of a dispatch, then again: the queue has each target once", async () => {
    await makeMunich(200);
    const due = await json("campaign dispatch munich --dry-run");
    const tasks = due["chosen"] as number;
    expect(tasks).toBeGreaterThan(1_500);
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
    expect(half.tasks.pending).toBeLessThan(tasks);
    expect(await json("campaign dispatch munich")).toMatchObject({
      added: tasks - half.tasks.pending,
      duplicate: half.tasks.pending,
    });
    expect(await json("campaign status munich")).toMatchObject({ tasks: { pending: tasks } });
  });

  test("plan shows what phrases mean and find, what is left out, and what is not understood", async () => {
    await makeMunich();
    const odd = {
      id: "o",
      latitude: 48.15,
      longitude: 11.55,
      craft: "plumber",
      operator: "Rohr AG",
    };
    const lines = [
      JSON.stringify({ ...odd, phone: "089 123456;call us", website: "not a website" }),
      JSON.stringify({ id: "x", latitude: 48.15, longitude: 11.55 }),
    ];
    writeFileSync(inCampaign("places.jsonl"), `${lines.join("\n")}\n`);
    const plan = await run("campaign plan munich");
    expect(plan.exitCode).toBe(3);
    expect(plan.stdout).toMatch(/plumber +1 +osm craft=plumber +1\.00 +used/);
    expect(plan.stdout).toMatch(/dentist +0 +osm amenity=dentist/);
    expect(plan.stdout).toContain("16 of them are left out: their tile has no place");
    expect(plan.stderr).toContain("phone: 1 value not understood, such as 'call us'");
    expect(plan.stderr).toContain("it has no name, no operator and no brand; 1 record skipped");
    expect((await run("campaign dispatch munich")).stdout).toBe(
      "2 of 18 targets are due, 16 skipped because they have no place: 1 task added\n",
    );
  });

  test("an imported file serves campaigns of any node; rematch applies what has changed", async () => {
    await makeMunich();
    const csv = join(sandbox.folder, "berlin.csv");
    writeFileSync(
      csv,
      "Firma;Breite;Länge;Gewerbe\nRohr Meyer;48,15;11,55;Klempner\nWeit weg;10;10;x\n",
    );
    const made = await run(`places import ${csv} --area munich --name shops`);
    expect(made.stdout).toBe("shops: 1 place in 1 tile; left out: 1 outside of the area\n");
    expect((await run(`places import ${csv} --area munich --name shops --json`)).exitCode).toBe(0);
    const config = readFileSync(inCampaign("config.toml"), "utf8");
    writeFileSync(
      inCampaign("config.toml"),
      `languages = ["de"]\n${config.replace('file = "places.jsonl"', 'imported = ["shops"]')}`,
    );
    expect(await json("campaign dispatch munich")).toMatchObject({ due: 2, added: 1, leftOut: 16 });
    const worked = await run("work --drain --kinds discover");
    expect(worked.exitCode, worked.stderr).toBe(0);
    expect(await json("campaign status munich")).toMatchObject({ fresh: 1, empty: 1, never: 0 });
    expect((await run("company search Rohr")).stdout).toContain("Rohr Meyer");
    expect(await json("campaign rematch munich")).toMatchObject({ due: 0, added: 0 });
    const now = readFileSync(inCampaign("config.toml"), "utf8");
    writeFileSync(inCampaign("config.toml"), `${now}\n[tags.dentist]\nosm = ["office=x"]\n`);
    expect(await json("campaign dispatch munich")).toMatchObject({ due: 0 });
    expect(await json("campaign rematch munich")).toMatchObject({ due: 1, added: 1 });
  });

  test("each campaign searches its own file, and again when that has changed", async () => {
    const line = (name: string) => `campaign new ${name} --phrase plumber --location M@48.15,11.55 --proximity-km 1 --source places.jsonl`; // prettier-ignore
    const write = (name: string, ...ids: string[]) =>
      writeFileSync(
        join(sandbox.folder, "d", "campaigns", name, "places.jsonl"),
        ids.map((id) => place(id, 48.15, 11.55)).join(""),
      );
    const searched = async (name: string) => {
      const { added } = await json(`campaign dispatch ${name}`);
      if (added !== 0) expect((await run("work --drain --kinds discover")).exitCode).toBe(0);
      const { fresh, expired } = await json(`campaign status ${name}`);
      const { stdout } = await run(`export companies --campaign ${name} --columns name`);
      return { added, fresh, expired, names: stdout.trim().split("\r\n").slice(1).sort() };
    };
    for (const name of ["one", "two"]) expect((await run(line(name))).exitCode).toBe(0);
    write("one", "a/1", "a/2");
    write("two", "a/2", "a/3");
    const first = { added: 1, fresh: 1, expired: 0 };
    const one = ["Plumber a/1", "Plumber a/2"];
    expect(await searched("one")).toEqual({ ...first, names: one });
    expect(await searched("two")).toEqual({ ...first, names: ["Plumber a/2", "Plumber a/3"] });
    expect(await searched("one")).toEqual({ ...first, added: 0, names: one });

    write("two", "a/2", "a/3", "a/4");
    const all = ["Plumber a/2", "Plumber a/3", "Plumber a/4"];
    expect(await searched("two")).toEqual({ ...first, names: all });
    // A file that comes back as it was is what it was.
    write("two", "a/2", "a/3");
    expect(await searched("two")).toEqual({ ...first, names: all });
    expect(await searched("two")).toEqual({ ...first, added: 0, names: all });
    expect(await searched("one")).toEqual({ ...first, added: 0, names: one });
  });

  test("errors say what is wrong, and what to do about it", async () => {
    await makeMunich();
    const wrong = async (line: string, exitCode: number, words: string) => {
      const result = await run(line);
      expect(result.exitCode, result.stderr).toBe(exitCode);
      expect(result.stderr).toContain(words);
    };
    await wrong(
      "campaign plan",
      2,
      "which campaign? name it, set FORAGER_CAMPAIGN, or run this in its folder: there are munich",
    );
    await wrong(
      "campaign plan berlin",
      2,
      "`forager --data d campaign new berlin` creates it; there are munich",
    );
    await wrong("campaign new Bad_Name", 2, "is not a valid campaign name");
    await wrong("campaign new x --location nowhere", 2, "NAME@LAT,LON");
    await wrong("campaign new x --location Springfield", 2, "Springfield, IL, US");
    await wrong("campaign new x --radius far", 2, "'20 mi' or '30 km'");
    await wrong("campaign new x --location a@91,0", 2, "degrees north from -90 to 90");
    await wrong("campaign dispatch munich --batch 1 --canary 1", 2, "cannot be combined");

    writeFileSync(inCampaign("places.jsonl"), `{\n${place("a", 48.15, 11.55)}`);
    await wrong("campaign plan munich", 3, "places.jsonl:1: it is not JSON; 1 record skipped");
    writeFileSync(inCampaign("places.jsonl"), place("a", 48.15, 11.55).slice(0, -9));
    await wrong("campaign dispatch munich", 1, "it ends in the middle of a record, at line 1");
    writeFileSync(inCampaign("places.jsonl"), place("a", 11.55, 48.15));
    await wrong("campaign plan munich", 3, "latitude and longitude seem to be swapped");
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

  test("B28: audit finds what belongs elsewhere, a repair moves it, and restore undoes that", async () => {
    await makeMunich();
    const found = JSON.stringify({ campaign: "gone", at: "2026-11-01T00:00:00.000Z" });
    const known = `name=Stray latitude:=48.15 longitude:=11.55 found/48.1_11.5/plumber:=${found}`;
    const set = await run(`ledger set company/stray ${known} --source system`);
    expect(set.exitCode, set.stderr).toBe(0);
    const shown = await run("campaign audit");
    expect(shown.exitCode, shown.stderr).toBe(1);
    expect(shown.stdout).toMatch(
      /stray +wrong_campaign +gone +munich +campaign gone does not exist, and munich does/,
    );
    expect((await run("campaign audit nowhere")).exitCode).toBe(2);
    const repaired = await json("campaign audit munich --repair --yes");
    expect(repaired).toMatchObject({ repaired: 1, left: 0 });
    expect((await run("campaign audit")).stdout).toBe(
      "no problems found in 1 company and 1 campaign\n",
    );
    const undo = await run(`company restore stray --at ${String(repaired["undoAt"])} --yes`);
    expect(undo.stdout).toContain("found/48.1_11.5/plumber of stray");
    expect((await json("campaign audit", 1))["findings"]).toHaveLength(1);
  });
});
