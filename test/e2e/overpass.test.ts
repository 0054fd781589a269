// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  startFakeOverpass,
  type FakeElement,
  type FakeOverpass,
} from "../../src/sources/adapters/overpass/testing/fake-overpass.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

const nodes = ["n1", "n2", "n3"] as const;
const elements: readonly FakeElement[] = Array.from({ length: 40 }, (_, index) => ({
  type: "node",
  id: index + 1,
  lat: 48.1 + (index % 20) / 100,
  lon: 11.5 + Math.floor(index / 20) / 10,
  tags: { name: `Rohr ${index}`, craft: index % 2 === 0 ? "plumber" : "roofer" },
}));

let sandbox: Sandbox;
let server: FakeOverpass;
beforeEach(async () => {
  sandbox = await createSandbox();
  server = await startFakeOverpass(elements);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  sandbox.remove();
});

const config = (radiusKm: number, contact: string) => `phrases = ["plumber"]
proximityKm = ${radiusKm}
[[locations]]
name = "Munich"
lat = 48.2
lon = 11.6
[sources.overpass]
url = "${server.url}"
delayMs = 1000
[politeness]
${contact}
`;

/** All nodes share bucket and queue. */
const forager = (node: string, ...args: readonly string[]) =>
  sandbox.forager([...args, "--data", node, "--queue", `sqlite:${join(sandbox.folder, "q.db")}`], {
    env: { FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "bucket")}` },
  });
const writeConfig = async (
  node: string,
  radiusKm: number,
  contact = 'contact = "me@example.org"',
  campaign = "munich",
) => {
  const made = await forager(node, "campaign", "new", campaign, "--phrase", "plumber", "--location", "M@48.2,11.6"); // prettier-ignore
  expect(made.stderr + made.stdout).toContain(campaign);
  writeFileSync(
    join(sandbox.folder, node, "campaigns", campaign, "config.toml"),
    config(radiusKm, contact),
  );
};

test("three nodes ask an Overpass server for each tile once, and never two things at once", async () => {
  for (const node of nodes) await writeConfig(node, 1);
  server.answerMs = 100;
  const plan = await forager("n1", "campaign", "plan", "munich");
  expect(plan.stderr).toContain("4 tiles to ask for");
  expect(server.requests).toHaveLength(0);
  expect((await forager("n1", "campaign", "dispatch", "munich")).stdout).toContain("4 tasks added");
  const worked = await Promise.all(
    nodes.map((node) => forager(node, "work", "--drain", "--kinds", "discover")),
  );
  expect(worked.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(server.atOnceMax).toBe(1);
  expect(server.requests[0]?.userAgent).toMatch(/^forager\/.*\(\+mailto:me@example\.org\)$/);

  // A new phrase is answered by the snapshots.
  const file = join(sandbox.folder, "n2", "campaigns", "munich", "config.toml");
  writeFileSync(file, config(1, 'contact = "me@example.org"').replace('"plumber"', '"roofer"'));
  expect((await forager("n2", "campaign", "plan", "munich")).stderr).toContain("no requests are needed"); // prettier-ignore
  await forager("n2", "campaign", "dispatch", "munich");
  await forager("n2", "work", "--drain", "--kinds", "discover");
  expect(server.requests).toHaveLength(4);
  const status = await forager("n2", "campaign", "status", "munich", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ fresh: 4, found: 20, never: 0 });
});

test("many tiles are advised against, very many are refused, and a contact is needed", async () => {
  await writeConfig("n1", 200);
  const many = await forager("n1", "campaign", "plan", "munich", "--dry-run");
  expect(many.exitCode).toBe(0);
  expect(many.stderr).toMatch(/tiles are a lot for an Overpass server: take an extract/);
  await writeConfig("n2", 500);
  for (const verb of ["plan", "dispatch"]) {
    const refused = await forager("n2", "campaign", verb, "munich");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/at most 5000 are allowed; .*--force/);
  }
  expect((await forager("n2", "campaign", "plan", "munich", "--force")).exitCode).toBe(0);
  await writeConfig("n3", 1, "delayMs = 1000", "silent");
  const nobody = await forager("n3", "campaign", "dispatch", "silent");
  expect(nobody.stderr).toMatch(/requires a contact address: set contact/);
  expect(server.requests).toHaveLength(0);
});
