// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";

const s3Keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };

async function setUp(settings = "") {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const write = (name: string, text: string) => writeFileSync(join(sandbox.folder, name), text);
  write("forager.toml", `data = "d"\n${settings}`);
  write("handlers.mjs", `export const note = { kind: "note", run() {} };\n`);
  const run = (words: string, env: Readonly<Record<string, string>> = {}) =>
    sandbox.forager(words.split(" "), { env });
  return { sandbox, run, write };
}

test("visits without a contact are refused before the first one, and `config set` mends that", async () => {
  const { run, write } = await setUp("crawl.allowPrivateNetworks = ['127.0.0.1']\n");
  write("leads.csv", "name,website\nFloors,http://127.0.0.1:9/\n");
  expect((await run("import companies leads.csv")).exitCode).toBe(0);
  const added = await run("enrich --all --batch leads");
  expect(added.stderr).toContain("warning: crawl.contact is not set");
  const refused = await run("work --drain");
  expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("forager config set crawl.contact you@example.org");

  const set = await run("config set crawl.contact crawler@forager-tests.org");
  expect(set.stdout, set.stderr).toMatch(/^crawl\.contact is set in .*forager\.toml$/m);
  expect((await run("config get crawl.contact")).stdout).toBe("crawler@forager-tests.org\n");
  expect((await run("config path")).stdout).toMatch(/^project +read +.*forager\.toml$/m);
  const worked = await run("work --drain");
  expect(worked.stdout, worked.stderr).toMatch(/^visits: 0 done, 1 unreachable \(1 refused\)$/m);
  expect(worked.exitCode).toBe(3);
  const status = await run("status");
  expect(status.stdout, status.stderr).toContain(
    "job leads: no website could be read; visits: 0 done, 1 unreachable (1 refused)",
  );
  expect(status.exitCode).toBe(3);
});

test("plan and dispatch warn of websites on private addresses, and refuse if the bucket does not answer", async () => {
  const { run, write } = await setUp("crawl.contact = 'crawler@forager-tests.org'\n");
  await run(
    "campaign new austin --phrase plumber --location Austin@30.25,-97.75 --proximity-km 5 --source places.csv",
  );
  const rows = ["id,name,latitude,longitude,website", "1,Plumber,30.25,-97.75,http://10.9.8.7/"];
  write("d/campaigns/austin/places.csv", `${rows.join("\n")}\n`);
  for (const command of ["plan", "dispatch"]) {
    const { exitCode, stderr } = await run(`campaign ${command} austin`);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain("warning: 10.9.8.7 has a private address (10.9.8.7)");
    expect(stderr).toContain("forager config set crawl.allowPrivateNetworks 10.9.8.7");
  }
  const away = {
    FORAGER_BUCKET_URL: "s3://my-bucket/fleet?endpoint=http://127.0.0.1:9&region=x",
    ...s3Keys,
  };
  for (const command of ["plan", "dispatch"]) {
    const { exitCode, stderr } = await run(`campaign ${command} austin`, away);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/bucket\.url cannot be used, so nothing was started: .*forager doctor/);
  }
});

test("on a node that has not synced, campaigns of the fleet are known and their numbers are said to be too low", async () => {
  const { sandbox, run, write } = await setUp("crawl.contact = 'crawler@forager-tests.org'\n");
  const one = { FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "shared")}` };
  const words =
    "--phrase plumber --location Austin@30.25,-97.75 --proximity-km 5 --source places.csv";
  await run(`campaign new austin ${words}`, one);
  const rows = ["id,name,latitude,longitude,website", "1,Plumber,30.25,-97.75,http://10.9.8.7/"];
  write("d/campaigns/austin/places.csv", `${rows.join("\n")}\n`);
  await run("campaign dispatch austin", one);
  const worked = await run("work --drain", one);
  expect(worked.stdout, worked.stderr).toContain("1 private_address");
  expect((await run("ledger sync", one)).exitCode).toBe(0);
  const here = await run("campaign status austin", one);
  expect(here.stdout, here.stderr).toContain("1 places → 1 companies");
  expect(here.stdout).not.toContain("this node lacks");

  const two = {
    ...one,
    FORAGER_DATA: join(sandbox.folder, "other"),
    FORAGER_NODE_NAME: "pi-3",
  };
  expect((await run("campaign list", two)).stdout).toMatch(/^austin +plumber +Austin/m);
  const empty = await run("campaign status austin", two);
  expect(empty.exitCode, empty.stderr).toBe(0);
  expect(empty.stdout).toMatch(
    /this node lacks \d+ changes of other nodes, so these numbers are too low/,
  );
  expect((await run("campaign report austin", two)).stderr).toContain("this node lacks");
  expect((await run("ledger sync", two)).exitCode).toBe(0);
  const synced = await run("campaign status austin", two);
  expect(synced.stdout, synced.stderr).toContain("1 places → 1 companies");
  expect(synced.stdout).not.toContain("this node lacks");

  const away = {
    ...two,
    FORAGER_BUCKET_URL: "s3://my-bucket/fleet?endpoint=http://127.0.0.1:9&region=x",
    ...s3Keys,
  };
  const alone = await run("campaign list", away);
  expect([alone.exitCode, alone.stdout]).toEqual([0, expect.stringMatching(/^austin/m)]);
  expect(alone.stderr).toContain("only campaigns of this data folder are shown");
});

test("a task that no worker here can do is named, and the exit code is 3", async () => {
  const { run } = await setUp();
  await run("queue add note --key a");
  await run("queue add nokind --key b");
  const { exitCode, stdout } = await run("work --drain --handlers handlers.mjs");
  expect(stdout).toContain("1 done");
  expect(stdout).toContain("1 task of kind nokind left: no handler for it here (--handlers FILE)");
  expect(exitCode).toBe(3);

  const paused = /job default is paused: 1 task left; continue with: forager queue resume default/;
  expect((await run("queue pause default")).exitCode).toBe(0);
  const held = await run("work --drain --handlers handlers.mjs");
  expect([held.exitCode, held.stdout]).toEqual([3, expect.stringMatching(paused)]);
  const status = await run("status");
  expect([status.exitCode, status.stdout]).toEqual([3, expect.stringMatching(paused)]);
});

test("a stop by SIGTERM is exit code 0 for service managers; the summary and status still name what failed", async () => {
  const { sandbox, run, write } = await setUp();
  write(
    "handlers.mjs",
    `export const bad = { kind: "bad", run() { throw new Error("boom"); } };\n`,
  );
  await run("queue add bad --key a --attempts 1");
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  const words = ["work", "--handlers", "handlers.mjs"];
  const working = sandbox.forager(words, { onStart: (kill) => (stop = kill) });
  const countFailed = async () => (await run("queue list --state failed")).stdout;
  await expect.poll(countFailed, { interval: 500 }).toContain("boom");
  stop!("SIGTERM");
  const { exitCode, stdout } = await working;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^0 done, 0 skipped, 0 retried, 1 failed$/m);
  expect(stdout).toContain("failed: 1 bad: Error: boom");
  expect((await run("status")).exitCode).toBe(3);
});

test("with a bucket tasks are on it; tasks that a local queue still has stop the start until they are moved", async () => {
  const { sandbox, run } = await setUp();
  const bucket = { FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "shared")}` };
  await run("queue add note --key a");
  await run("queue add note --key b --gate example.org --job spring");
  await run("queue gate example.org --delay 5ms --limit 3");
  const drain = "work --drain --handlers handlers.mjs";
  const bothWays = /has 2 unfinished tasks.*queue\.url = "sqlite:queue\.db".*queue move/s;
  for (const words of [drain, "queue add note --key c", "serve --listen 127.0.0.1:0"]) {
    const refused = await run(words, bucket);
    expect([words, refused.exitCode]).toEqual([words, 2]);
    expect(refused.stderr).toMatch(bothWays);
  }
  // What cannot run now is no hint.
  const stats = await run("queue stats", bucket);
  expect(stats.stderr).toMatch(bothWays);
  expect(stats.stderr).not.toContain("queue add");
  const status = await run("status", bucket);
  expect([status.exitCode, status.stdout]).toEqual([3, expect.stringMatching(bothWays)]);
  expect((await run("doctor", bucket)).stdout).toMatch(/^local queue +warn .* has 2 unfinished/m);

  const moved = await run("queue move --json", bucket);
  expect(moved.exitCode, moved.stderr).toBe(0);
  expect(JSON.parse(moved.stdout)).toMatchObject({ moved: 2, refused: 0 });
  expect(readdirSync(join(sandbox.folder, "d")).filter((name) => name === "queue.db")).toEqual([]);
  const gate = JSON.parse((await run("queue gate example.org --json", bucket)).stdout) as object;
  expect(gate).toMatchObject({ delayMs: 5, limit: 3 });

  // Another machine, with the same bucket and nothing else, gets the work.
  const other = {
    ...bucket,
    FORAGER_DATA: join(sandbox.folder, "other"),
    FORAGER_NODE_NAME: "pi-3",
  };
  const worked = await run(drain, other);
  expect([worked.exitCode, worked.stdout.split("\n")[0]], worked.stderr).toEqual([
    0,
    "2 done, 0 skipped, 0 retried, 0 failed",
  ]);
  const again = await run(drain, bucket);
  expect(again.stdout, again.stderr).toContain("0 done");
});

test("a deleted company is gone from folders and lists, and the printed command brings all of it back", async () => {
  const { sandbox, run } = await setUp();
  await run("company add Acme --domain acme.example --email info@acme.example");
  await run("company note acme first-note");
  const deleted = await run("company delete acme --yes");
  expect(deleted.exitCode, deleted.stderr).toBe(0);
  expect(existsSync(join(sandbox.folder, "d/companies/acme"))).toBe(false);
  const listed = (await run("company list")).stdout;
  expect(listed).toMatch(
    /^there are no companies in \S+\/d; `forager import companies FILE` adds some$/m,
  );
  expect((await run("company list --all")).stderr).toContain("there are no companies in");
  const [, undo = ""] = /undo with: forager (.+)$/m.exec(deleted.stdout) ?? [];
  // The printed command, and the one that people try: by its name.
  for (const words of [undo, "company restore acme --yes"]) {
    const restored = await run(words);
    expect(restored.exitCode, restored.stderr).toBe(0);
    const shown = await run("company show acme --json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      slug: "acme",
      emails: [{ value: "info@acme.example" }],
      entries: [{ text: "first-note" }],
    });
    await run("company delete acme --yes");
  }
});

test("records check looks at the files: edited, broken and missing ones are reported", async () => {
  const { sandbox, run } = await setUp();
  for (const name of ["Acme", "Berg", "Cole"]) await run(`company add ${name}`);
  const file = (slug: string) => join(sandbox.folder, `d/companies/${slug}/_index.md`);
  writeFileSync(file("acme"), readFileSync(file("acme"), "utf8").replace("Acme", "Acme Two"));
  writeFileSync(file("berg"), "---\nname: [\n");
  rmSync(join(sandbox.folder, "d/companies/cole"), { recursive: true });
  const { exitCode, stdout } = await run("records check");
  expect(exitCode).toBe(3);
  expect(stdout).toContain("1 edited: companies/acme/_index.md");
  expect(stdout).toContain("1 missing: companies/cole/_index.md");
  expect(stdout).toMatch(/^1 with errors:\n.*\ncompanies\/berg\/_index\.md/m);
  const status = await run("status");
  expect([status.exitCode, status.stdout]).toEqual([
    3,
    expect.stringContaining(
      "  records: 1 error, 1 file missing or outdated: see forager records check, then forager records repair\n",
    ),
  ]);
  rmSync(file("berg"));
  await run("records repair --yes");
  expect((await run("records check")).stdout).toContain("all files are as they should be");
  expect((await run("status")).exitCode).toBe(0);
});

test("campaigns are listed and removed, and what was hinted at exists", async () => {
  const { run } = await setUp();
  await run("campaign new austin --phrase plumber --location Austin@30.2,-97.7");
  expect((await run("campaign list")).stdout).toMatch(/^austin +plumber +Austin/m);
  const hinted = await run("campaign rm austin");
  expect([hinted.exitCode, hinted.stderr]).toEqual([
    2,
    expect.stringContaining("did you mean `forager campaign remove`?"),
  ]);
  expect((await run("campaign remove austin --yes")).stdout).toContain("undo with: mv ");
  expect((await run("campaign list")).stdout).toContain("there are no campaigns");
});

test("init says where the data is that commands gathered before it", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  await sandbox.forager(["company", "add", "Acme"]);
  const made = await sandbox.forager(["init", "--contact", "me@forager-tests.org"]);
  expect(made.exitCode, made.stderr).toBe(0);
  const [, before = ""] = /stays in (.*): `forager company list/.exec(made.stderr) ?? [];
  expect((await sandbox.forager(["company", "list"])).stdout).toContain("there are no companies");
  const listed = await sandbox.forager(["company", "list", "--data", before]);
  expect(listed.stdout).toContain("acme");
});

test("doctor looks at what is configured, and bucket commands use bucket.url", async () => {
  const { run } = await setUp("bucket.url = 'dir:shared'\n");
  const states = async () => {
    const rows = JSON.parse((await run("doctor --json")).stdout) as {
      check: string;
      state: string;
    }[];
    return ["contact", "queue", "bucket"].map(
      (check) => rows.find((row) => row.check === check)?.state,
    );
  };
  // A folder that does not exist may be on a share that is not mounted. Looking does not make it.
  for (let time = 0; time < 2; time += 1) {
    expect(await states()).toEqual(["warn", "ok", "fail"]);
    expect((await run("status")).stdout).toMatch(
      /the folder \S+shared of the bucket does not exist/,
    );
  }
  await run("queue add note --key a");
  expect(await states()).toEqual(["warn", "ok", "ok"]);
  expect((await run("bucket ls")).stdout).toContain("shards/0.json.gz");
  expect((await run("bucket usage --stored --json")).exitCode).toBe(0);
});

test("a node that gives tasks back says why until it can do them, in status, queue show and doctor", async () => {
  const { sandbox, run, write } = await setUp("crawl.allowPrivateNetworks = ['127.0.0.1']\n");
  write("leads.csv", "name,website\nFloors,http://127.0.0.1:9/\n");
  await run("import companies leads.csv");
  await run("enrich --all --batch leads");
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  const working = sandbox.forager(["work"], { onStart: (kill) => (stop = kill) });
  const why = "this node releases enrich tasks of job leads: crawl.contact is not set";
  await expect.poll(async () => (await run("status")).stdout, { interval: 500 }).toContain(why);
  expect((await run("status")).stdout.split(why)).toHaveLength(2); // once
  stop!("SIGTERM");
  await working;
  // Also when nothing runs any more.
  expect((await run("status")).stdout).toContain(why);
  expect((await run("queue show 1")).stdout).toMatch(/^released +.* by this node: crawl\.contact/m);
  expect((await run("doctor")).stdout).toContain(why);
  const contact = { FORAGER_CRAWL_CONTACT: "crawler@forager-tests.org" };
  expect((await run("doctor", contact)).stdout).not.toContain(why);
  await run("work --drain", contact);
  expect((await run("status")).stdout).not.toContain(why);
});

test("a paused campaign says so, with the reasons of its visits; a missing place file is not ok", async () => {
  const { sandbox, run, write } = await setUp("crawl.contact = 'crawler@forager-tests.org'\n");
  await run(
    "campaign new austin --phrase plumber --location Austin@30.25,-97.75 --proximity-km 5 --source places.csv",
  );
  const rows = ["id,name,latitude,longitude,website", "1,Plumber,30.25,-97.75,http://10.9.8.7/"];
  write("d/campaigns/austin/places.csv", `${rows.join("\n")}\n`);
  await run("campaign dispatch austin");
  expect((await run("work --drain")).stdout).toContain("1 unreachable (1 private_address");
  await run("queue pause austin");
  const status = await run("campaign status austin");
  expect(status.stdout, status.stderr).toContain(
    "without an e-mail address: 1: 1 unreachable (private_address: see crawl.allowPrivateNetworks)",
  );
  expect(status.stdout).toContain(
    "campaign austin is paused; continue with: forager queue resume austin",
  );
  expect((await run("campaign status")).stdout).toMatch(/^austin .* paused$/m);
  rmSync(join(sandbox.folder, "d/campaigns/austin/places.csv"));
  await run(
    "campaign new boston --phrase plumber --location Boston@42.36,-71.06 --source places.csv",
  );
  const doctor = await run("doctor");
  // The places that were searched are kept; those of a campaign that never began are not.
  expect(doctor.stdout).toMatch(/^campaign austin +warn +its file of places .* are kept/m);
  expect(doctor.stdout).toMatch(/^campaign boston +fail +its file of places .* is missing/m);
  expect(doctor.exitCode).toBe(1);
  const others = { FORAGER_WORK_POOLS: "enrich=1x2" };
  expect((await run("doctor", others)).stdout).toMatch(
    /^campaign boston +ok .* no discover tasks/m,
  );
});

test("a bucket in a folder that is not there is not made by a look", async () => {
  const { sandbox, run } = await setUp();
  const folder = join(sandbox.folder, "share");
  const env = { FORAGER_BUCKET_URL: `dir:${folder}` };
  const looks = ["node list", "hub status", "bucket ls", "user list", "ledger sync"]; // prettier-ignore
  for (const words of looks) {
    const { exitCode, stderr } = await run(words, env);
    expect([words, exitCode, existsSync(folder)]).toEqual([words, 1, false]);
    expect(stderr).toContain(`make a new bucket with \`forager bucket create 'dir:${folder}'\``);
  }
  const set = await run("fleet set all pause", env);
  expect([set.exitCode, set.stderr]).toEqual([0, expect.stringContaining("; it is created now")]);
  expect((await run("node list", env)).exitCode).toBe(0);
});

test("a bucket that cannot be used is named by its setting, and leaves no half-made campaign", async () => {
  const { sandbox, run, write } = await setUp();
  write("shared", "a file, not a folder");
  const broken = { FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "shared")}` };
  const words = "campaign new austin --phrase plumber --location Austin@30.2,-97.7";
  const made = await run(words, broken);
  expect(made.exitCode).not.toBe(0);
  expect((await run("campaign list")).stdout).toContain("there are no campaigns");
  expect((await run("doctor", broken)).stdout).toMatch(/^queue +fail .* - check bucket\.url$/m);
});
