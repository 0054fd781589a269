// needs: s3
// inputs: src/infra/** src/bucket/** src/cli/** src/app/** tsconfig.build.json
import { execFileSync } from "node:child_process";
import {
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createS3Bucket } from "../../src/bucket/adapters/s3/s3-bucket.ts";
import type { S3Place } from "../../src/bucket/adapters/s3/s3-client.ts";
import { createUnconditionalPut } from "../../src/bucket/adapters/s3/unconditional-put.ts";
import { probeBucket } from "../../src/bucket/index.ts";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import {
  bucketPolicy,
  examineRights,
  identityPolicy,
  keysWithoutCondition,
  lifecycleConfiguration,
} from "../../src/infra/index.ts";
import { missingHubRights } from "../../src/ledger/tiers/hub/hub-rights.ts";
import { createSandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

const roleNames = ["node", "hub", "dashboard"] as const;
type FleetRole = (typeof roleNames)[number];

needs(["s3"], ({ s3 }) => {
  const users = Object.fromEntries(roleNames.map((role) => [role, createId(systemRandom)])) as Record<FleetRole, string>; // prettier-ignore
  let place: S3Place;
  let client: S3Client;
  const secret = "a secret of tests alone";
  const open = (role: FleetRole) => {
    const credentials = { accessKeyId: users[role], secretAccessKey: secret };
    return createS3Bucket({
      place: { ...place, credentials },
      clock: systemClock,
      random: systemRandom,
    });
  };
  const owner = () => createS3Bucket({ place, clock: systemClock, random: systemRandom });
  const examine = async (role: FleetRole, asked: FleetRole) => {
    await using bucket = open(role);
    return await examineRights({ bucket, role: asked, node: "n1", random: systemRandom });
  };

  beforeAll(async () => {
    if (s3.admin === "") throw new Error("users can be made only on the server that this project starts: unset FORAGER_TEST_S3_ENDPOINT"); // prettier-ignore
    const made = await createTestPlace(s3);
    client = made.client;
    place = { ...made.place, prefix: "team/" };
    for (const user of Object.values(users)) {
      const keys = [`--access-key=${user}`, `--secret=${secret}`];
      const create = ["user", "create", `--uid=${user}`, "--display-name=role", ...keys];
      execFileSync("radosgw-admin", ["-c", s3.admin, ...create], { stdio: "ignore" });
    }
    const grants = roleNames.map((role) => ({ user: users[role], role }));
    const target = { arn: `arn:aws:s3:::${place.bucket}`, prefix: "team" };
    const Policy = JSON.stringify(bucketPolicy(grants, target));
    await client.send(new PutBucketPolicyCommand({ Bucket: place.bucket, Policy }));
  });
  afterAll(() => client.destroy());

  test.each(roleNames)("a %s has what it needs, and nothing else", async (role) => {
    const found = await examine(role, role);
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ isNeeded, isThere }) => isNeeded !== isThere)).toEqual([]);
  });

  test("what a role lacks and what it has too much is found", async () => {
    const lacking = (await examine("node", "hub")).filter((one) => one.isNeeded && !one.isThere);
    expect(lacking.map(({ right }) => right)).toEqual(
      expect.arrayContaining(["write ledger/checkpoint/*", "delete ledger/checkpoint/*", "delete ledger/wal/*"]), // prettier-ignore
    );
    const excess = (await examine("hub", "node")).filter((one) => !one.isNeeded && one.isThere);
    expect(excess.map(({ right }) => right)).toEqual(
      expect.arrayContaining(["write ledger/part/*", "delete ledger/checkpoint/*"]),
    );
  });

  test("a node finds out by itself that it cannot be the hub, and a hub that it can", async () => {
    await using node = open("node");
    expect(await missingHubRights(node)).toEqual(["write ledger/part/", "write ledger/checkpoint/", "write ledger/archive/", "write ledger/", "delete ledger/wal/", "delete ledger/part/", "delete ledger/checkpoint/"]); // prettier-ignore
    await using hub = open("hub");
    expect(await missingHubRights(hub)).toEqual([]);
  });

  test("the questions change nothing, and the store refuses a node that deletes a checkpoint", async () => {
    await using all = owner();
    await all.put("ledger/checkpoint/1.json", Buffer.from("{}"));
    const before = await all.list("");
    await examine("hub", "hub");
    expect(await all.list("")).toEqual(before);
    await using node = open("node");
    const refused = { code: "bucket_forbidden" };
    await expect(node.delete("ledger/checkpoint/1.json")).rejects.toMatchObject(refused);
    await expect(node.put("ledger/checkpoint/1.json", Buffer.from("x"))).rejects.toMatchObject(refused); // prettier-ignore
    expect(await all.list("")).toEqual(before);
  });

  test("doctor --permissions says what is there, what is missing and what is too much", async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    const address = `s3://${place.bucket}/team?endpoint=${encodeURIComponent(s3.endpoint)}&region=${s3.region}`;
    const doctor = async (role: FleetRole, asked: FleetRole) => {
      const env = { AWS_ACCESS_KEY_ID: users[role], AWS_SECRET_ACCESS_KEY: secret };
      const flags = ["--bucket", address, "--permissions", "--role", asked, "--json"];
      const { stdout } = await sandbox.forager(["doctor", ...flags], { env });
      const rows = JSON.parse(stdout) as readonly { check: string; detail: string }[];
      return new Map(rows.map(({ check, detail }) => [check, detail]));
    };
    const asHub = await doctor("node", "hub");
    expect(asHub.get("right to write shards/*")).toBe("granted");
    await using all = owner();
    const before = await all.list("");
    expect((await doctor("node", "node")).get("writes without a condition")).toBe("refused by the store"); // prettier-ignore
    const isLasting = ({ key }: { readonly key: string }) => !key.startsWith("probe/");
    expect((await all.list("")).filter(isLasting)).toEqual(before.filter(isLasting));
    expect(asHub.get("right to delete ledger/checkpoint/*")).toBe("missing");
    const asNode = await doctor("hub", "node");
    expect(asNode.get("right to delete ledger/checkpoint/*")).toBe("not needed");
  });

  test("the store refuses a node that overwrites a shard without having read it", async () => {
    await using all = owner();
    const key = "shards/9.json.gz";
    const refused = { code: "bucket_forbidden" };
    for (const role of roleNames) {
      await all.delete(key);
      await using bucket = open(role);
      await expect(bucket.put(key, Buffer.from("x"))).rejects.toMatchObject(refused);
      const created = await bucket.putIfAbsent(key, Buffer.from("a"));
      if (created.status !== "created") throw new Error(`${role} did not create it`);
      await expect(bucket.put(key, Buffer.from("x"))).rejects.toMatchObject(refused);
      expect(await bucket.putIfAbsent(key, Buffer.from("x"))).toEqual({ status: "exists" });
      const { status } = await bucket.putIfMatch(key, Buffer.from("b"), created.etag);
      expect(status).toBe("written");
      expect(await bucket.putIfMatch(key, Buffer.from("x"), created.etag)).toEqual({ status: "stale" }); // prettier-ignore
      const got = await bucket.get(key);
      expect(got.status === "found" && Buffer.from(got.body).toString()).toBe("b");
    }
    await all.delete(key);
  });

  test("without such a policy doctor names what can be overwritten", async () => {
    const made = await createTestPlace(s3);
    onTestFinished(() => made.client.destroy());
    const at = { ...made.place, prefix: "" };
    await using bucket = createS3Bucket({ place: at, clock: systemClock, random: systemRandom });
    using put = createUnconditionalPut(at, { clock: systemClock });
    const options = { bucket, role: "node", node: "n1", random: systemRandom, put } as const;
    expect(await keysWithoutCondition(options)).toEqual(
      expect.arrayContaining(["shards/*", "ledger/wal/NODE/*", "lease/*"]),
    );
    expect(await bucket.list("")).toEqual([]);
  });

  describe("what does not help", () => {
    test("the policy for AWS refuses every change of the queue here, with a condition too", async () => {
      const made = await createTestPlace(s3);
      onTestFinished(() => made.client.destroy());
      const { bucket: Bucket } = made.place;
      const { Version, Statement } = identityPolicy("node", { arn: `arn:aws:s3:::${Bucket}`, prefix: "" }); // prettier-ignore
      const Principal = { AWS: [`arn:aws:iam:::user/${users.node}`] };
      const policy = { Version, Statement: Statement.map((one) => ({ ...one, Principal })) };
      await made.client.send(
        new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify(policy) }),
      );
      const credentials = { accessKeyId: users.node, secretAccessKey: secret };
      const at = { ...made.place, prefix: "", credentials };
      await using node = createS3Bucket({ place: at, clock: systemClock, random: systemRandom });
      const refused = { code: "bucket_forbidden" };
      await expect(node.put("shards/0.json.gz", Buffer.from("x"))).rejects.toMatchObject(refused);
      await expect(node.putIfAbsent("shards/0.json.gz", Buffer.from("x"))).rejects.toMatchObject(refused); // prettier-ignore
      // So doctor finds that a store with such a policy refuses writes without a condition.
      using put = createUnconditionalPut(at, { clock: systemClock });
      expect(await put.ask("shards/x")).toBe("refused");
      expect(await put.ask("probe/x")).toBe("allowed");
      expect(await node.list("probe/")).toEqual([]);
    });

    test("versioning makes this store ignore conditions, and doctor refuses such a bucket", async () => {
      const made = await createTestPlace(s3);
      onTestFinished(() => made.client.destroy());
      const versioning = { Status: "Enabled" } as const;
      await made.client.send(new PutBucketVersioningCommand({ Bucket: made.place.bucket, VersioningConfiguration: versioning })); // prettier-ignore
      await using bucket = createS3Bucket({ place: made.place, clock: systemClock, random: systemRandom }); // prettier-ignore
      const { isFit, steps } = await probeBucket({ bucket, clock: systemClock, random: systemRandom }); // prettier-ignore
      expect(isFit).toBe(false);
      expect(steps.find(({ name }) => name === "reject create")).toMatchObject({ state: "fail" });
    });
  });

  test("nodes with these rights do the work of a fleet", async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    const url = `s3://${place.bucket}/team?endpoint=${encodeURIComponent(s3.endpoint)}&region=${s3.region}`;
    const run = async (role: FleetRole, ...args: readonly string[]) => {
      const env = { AWS_ACCESS_KEY_ID: users[role], AWS_SECRET_ACCESS_KEY: secret, FORAGER_BUCKET_URL: url }; // prettier-ignore
      const { exitCode, stdout, stderr } = await sandbox.forager([...args, "--data", role], {
        env,
      });
      return { exitCode, text: stdout + stderr };
    };
    const isDone = async (role: FleetRole, ...args: readonly string[]) => {
      const { exitCode, text } = await run(role, ...args);
      expect(exitCode, `${role}: ${args.join(" ")}: ${text}`).toBe(0);
    };
    await isDone("dashboard", "queue", "add", "note", "{}");
    await isDone("node", "queue", "pause", "default");
    await isDone("node", "queue", "resume", "default");
    await isDone("node", "company", "add", "Acme", "--phone", "+4989123456");
    await isDone("node", "ledger", "sync");
    await isDone("dashboard", "ledger", "sync");
    const refused = await run("node", "ledger", "compact");
    expect(refused.exitCode).not.toBe(0);
    expect(refused.text).toContain("no permission to");
    await isDone("hub", "ledger", "compact");
    await isDone("dashboard", "ledger", "sync");
  });

  test("lifecycle rules delete probes, and nothing that has to stay", async () => {
    const { place: own, client: ours } = await createTestPlace(s3);
    onTestFinished(() => ours.destroy());
    await using bucket = createS3Bucket({ place: own, clock: systemClock, random: systemRandom });
    const kept = ["queue.json", "shards/0.json.gz", "ledger/wal/n/s/1.usv", "ledger/checkpoint/1.json", "lease/a.json", "fleet/desired.json", "exports/positions/a.json", "campaigns/configs/a.json"]; // prettier-ignore
    for (const key of [...kept, "probe/a"]) await bucket.put(key, Buffer.from("x"));
    const LifecycleConfiguration = lifecycleConfiguration({ prefix: "some/prefix" });
    const rules = { Bucket: own.bucket, LifecycleConfiguration };
    await ours.send(new PutBucketLifecycleConfigurationCommand({ ...rules }));
    // A day of this server takes two seconds.
    const keys = async () => (await bucket.list("")).map(({ key }) => key);
    await expect.poll(keys, { interval: 500 }).toEqual(kept.toSorted());
  });
});
