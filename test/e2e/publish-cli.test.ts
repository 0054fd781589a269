// needs: s3
// inputs: src/** scripts/dashboard/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { openCountingProxy } from "../support/counting-proxy.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";
import { needs } from "../support/services.ts";

let sandbox: RecordsSandbox;
beforeAll(async () => {
  sandbox = await createRecordsSandbox();
  writeFileSync(
    join(sandbox.folder, "leads.csv"),
    "name,domain,email,phone\nAcme,acme.example,anna@acme.example,+15125550100\nBolt,bolt.example,hi@bolt.example,\nCrow,crow.example,,\n",
  );
  await sandbox.good("import", "companies", "leads.csv");
  await sandbox.good("suppress", "add", "bolt.example");
  await sandbox.good("company", "set", "crow", "excluded=not a customer");
});
afterAll(() => sandbox.remove());

const at = (path: string) => join(sandbox.folder, path);
const filesOf = (folder: string) =>
  readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".forager"))
    .map((entry) => join(entry.parentPath, entry.name));

test("B13: a folder is published only if it is said who may read it, and only its owner can", async () => {
  const unsaid = await sandbox.onData(["publish", "dir:site"]);
  expect(unsaid.exitCode).toBe(2);
  expect(unsaid.stderr).toContain("who may read it?");
  expect(existsSync(at("site"))).toBe(false);
  const first = await sandbox.json<{ status: string; companies: number; leftOut: object }>("publish", "dir:site", "--private"); // prettier-ignore
  expect(first).toMatchObject({ status: "published", companies: 1, leftOut: { suppressed: 1, excluded: 1 } }); // prettier-ignore
  expect(statSync(at("site")).mode & 0o777).toBe(0o700);
  expect(existsSync(at("site/index.html"))).toBe(true);
  const again = await sandbox.json("publish", "dir:site", "--private");
  expect(again).toMatchObject({ status: "unchanged", written: 0 });
  const manifest = JSON.parse(readFileSync(at("site/manifest.json"), "utf8")) as { body: object };
  expect(manifest.body).toMatchObject({ companies: 1, leftOut: { suppressed: 1, excluded: 1 } });
});

test("B13: sealed files say nothing, and a rotated key leaves none of the old ones", async () => {
  const args = ["publish", "dir:sealed", "--sealed"];
  const first = await sandbox.json<{ fragment: string }>(...args);
  expect(first.fragment).toMatch(/^#k=[\w-]{43}$/);
  for (const file of filesOf("sealed")) {
    if (/assets|index\.html|licences/.test(file)) continue;
    expect(readFileSync(file, "latin1")).not.toMatch(/acme/i);
  }
  expect((await sandbox.json<{ fragment: string }>(...args)).fragment).toBe(first.fragment);
  const before = readdirSync(at("sealed/data"));
  const rotated = await sandbox.json<{ fragment: string }>(...args, "--rotate-key");
  expect(rotated.fragment).not.toBe(first.fragment);
  expect(readdirSync(at("sealed/data")).filter((name) => before.includes(name))).toEqual([]);
  const keys = readdirSync(sandbox.inData("publish")).filter((name) => name.endsWith(".key"));
  for (const name of keys) {
    expect(statSync(sandbox.inData(`publish/${name}`)).mode & 0o777).toBe(0o600);
  }
});

test("a hook is run after a change, without a shell, and its failure is reported", async () => {
  writeFileSync(
    at("forager.toml"),
    `[publish]\nafterCommand = 'touch "hook {generation}; exit 1"'\n`,
  );
  const out = await sandbox.onData(["publish", "dir:hooked", "--public", "--yes"]);
  expect(out.exitCode, out.stderr).toBe(0);
  expect(out.stdout).toContain(
    "left out: 1 suppressed, 1 excluded, all emails, phones, people, notes",
  );
  expect(existsSync(at("hook 1; exit 1"))).toBe(true);
  writeFileSync(at("forager.toml"), '[publish]\nafterCommand = "false"\n');
  const failing = await sandbox.onData(["publish", "dir:hooked2", "--public", "--yes"]);
  expect(failing.exitCode).toBe(3);
  writeFileSync(at("forager.toml"), "");
});

test("B28: a schedule publishes again what was published by hand, and nothing else", async () => {
  const target = `dir:${at("scheduled")}`;
  await sandbox.good("publish", target, "--private");
  await sandbox.good("company", "add", "Newcomer");
  await sandbox.good("schedule", "add", "site", "--does", "publish", "--target", target, "--every", "1h"); // prettier-ignore
  await sandbox.good("schedule", "run-now", "site");
  const worked = await sandbox.onData(["work", "--drain", "--kinds", "schedule"]);
  expect(worked.exitCode, worked.stderr).toBe(0);
  const { result } = await sandbox.json<{ result: object }>("schedule", "show", "site");
  expect(result).toMatchObject({ status: "published", generation: 2, companies: 2 });
  // A target that nobody has published by hand is not made.
  const other = at("never-published");
  await sandbox.good("schedule", "add", "other", "--does", "publish", "--target", `dir:${other}`, "--every", "1h"); // prettier-ignore
  await sandbox.good("schedule", "run-now", "other");
  const refused = await sandbox.onData(["work", "--drain", "--kinds", "schedule"]);
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(refused.stdout + refused.stderr).toContain("never-published");
  expect(existsSync(other)).toBe(false);
  await sandbox.good("schedule", "remove", "other");
  await sandbox.good("company", "delete", "newcomer", "--yes");
});

test("--watch publishes again after a report was computed", async () => {
  await sandbox.good("campaign", "new", "austin");
  await sandbox.good("campaign", "report", "austin");
  let isAsked = false;
  const work: Promise<unknown>[] = [];
  const watching = await sandbox.onData(["publish", "dir:watched", "--private", "--watch"], {
    onStdout(text, kill) {
      const count = text.split("published to").length - 1;
      if (count === 1 && !isAsked) {
        isAsked = true;
        work.push(sandbox.good("company", "add", "Later").then(() => sandbox.good("campaign", "report", "austin"))); // prettier-ignore
      }
      if (count === 2) kill("SIGTERM");
    },
  });
  await Promise.all(work);
  expect(watching.exitCode, watching.stderr).toBe(0);
  expect(watching.stdout).toMatch(/1 company, private[\s\S]*2 companies, private/);
});

needs(["s3"], ({ s3 }) => {
  const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };

  test("B13: a bucket is proved private before anything is uploaded; a second publish costs at most 5 requests", async () => {
    const { place, client } = await createTestPlace(s3);
    await using proxy = await openCountingProxy(s3.endpoint, () => false);
    const target = `s3://${place.bucket}/site?endpoint=${proxy.endpoint}&region=${s3.region}`;
    const first = await sandbox.onData(["publish", target], { env });
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.stdout).toContain("private: requests without credentials are refused");
    const total = () => [...proxy.requests.values()].reduce((sum, one) => sum + one, 0);
    // A report that was computed again says the same.
    await sandbox.good("campaign", "report", "austin");
    const before = total();
    const second = await sandbox.onData(["publish", target], { env });
    expect(second.stdout).toMatch(/is up to date: .* private/);
    expect(total() - before).toBeLessThanOrEqual(5);
    const doctor = await sandbox.onData(["doctor", "--json"], { env });
    expect(doctor.stdout).toContain("requests without credentials are refused");
    const parts = `arn:aws:s3:::${place.bucket}/site/data/*`;
    await client.send(policy(place.bucket, "s3:GetObject", parts));
    await sandbox.good("company", "add", "Unseen");
    const open = total();
    const third = await sandbox.onData(["publish", target], { env });
    expect(third.exitCode).toBe(3);
    expect(third.stderr).toContain("anybody can read its objects");
    expect(total() - open).toBeLessThanOrEqual(4);
    const failing = await sandbox.onData(["doctor", "--json"], { env });
    expect(failing.stdout).toContain("anybody can read its objects");
  });

  test.each([
    ["read", (bucket: string) => policy(bucket, "s3:GetObject", `arn:aws:s3:::${bucket}/*`)],
    ["read a part in", (bucket: string) => policy(bucket, "s3:GetObject", `arn:aws:s3:::${bucket}/site/data/*`)], // prettier-ignore
    ["list", (bucket: string) => policy(bucket, "s3:ListBucket", `arn:aws:s3:::${bucket}`)],
  ])(
    "B13: publish stops with exit 3 if anybody can %s the bucket, and uploads nothing",
    async (_, open) => {
      const { place, client } = await createTestPlace(s3);
      await client.send(open(place.bucket));
      const target = `s3://${place.bucket}/site?endpoint=${s3.endpoint}&region=${s3.region}`;
      const out = await sandbox.onData(["publish", target], { env });
      expect(out.stderr).toContain("Nothing was uploaded");
      expect(out.exitCode).toBe(3);
      const listed = await sandbox.onData(["bucket", "ls", "--bucket", target, "--json"], { env });
      expect(listed.stdout).not.toMatch(/data\/|manifest|index/);
    },
  );
});

const policy = (bucket: string, action: string, resource: string) =>
  new PutBucketPolicyCommand({
    Bucket: bucket,
    Policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: "*", Action: action, Resource: resource }],
    }),
  });
