// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";

test("E11: each JSON object in a bucket says its format, and which number a reader must know", async () => {
  const sandbox = await createSandbox({ hasSharedProcess: true });
  onTestFinished(() => sandbox.remove());
  const commands = [
    "config set bucket.url dir:bucket",
    "bucket create",
    "campaign new austin --phrase plumber",
    "campaign set austin proximityKm=20",
    "company add Acme",
    "queue add note {} --queue dir:bucket",
    "fleet set all pause --wait 0",
    "webhook add https://hooks.example.org/x",
    "user add ann --role viewer",
    "ledger compact",
  ];
  for (const line of commands) {
    const { exitCode, stderr } = await sandbox.forager([...line.split(" "), "--data", "data"]);
    expect(exitCode, `${line}: ${stderr}`).toBe(0);
  }
  const names = (folder: string, isOurs: (name: string) => boolean) =>
    readdirSync(join(sandbox.folder, folder), { recursive: true, encoding: "utf8" })
      .filter(isOurs)
      .map((name) => `${folder}/${name}`);
  const files = [
    ...names("data/bucket", (name) => /\.json(?:\.gz)?$/.test(name)),
    "data/ledger/node.json",
  ];
  const marks = Object.fromEntries(
    files.map((file) => {
      const body = readFileSync(join(sandbox.folder, file));
      const text = (file.endsWith(".gz") ? gunzipSync(body) : body).toString();
      const found = /^\{\s*"format":\s*(\d+),\s*"readableBy":\s*(\d+)/.exec(text);
      return [file.replace(/[0-9a-z]{13}(?=\.json)/, "NODE"), found?.slice(1).map(Number)];
    }),
  );
  const both = (number: number) => [number, number];
  expect(marks).toEqual({
    "data/bucket/campaigns/configs/austin.json": both(1),
    "data/bucket/fleet/desired.json": both(1),
    "data/bucket/fleet/users.json": both(1),
    "data/bucket/lease/ledger-hub.json": both(1),
    "data/bucket/ledger/checkpoint/000000000001.json": both(1),
    "data/bucket/ledger/heads/NODE.json": both(1),
    "data/bucket/probe/fit.json": both(1),
    "data/bucket/queue.json": both(2),
    "data/bucket/shards/0.json.gz": both(1),
    "data/bucket/webhooks/endpoints.json": both(1),
    "data/ledger/node.json": both(1),
  });
});
