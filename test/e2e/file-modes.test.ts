// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";

test("what is made in a data folder is for its owner alone, whatever the umask and the folder's mode", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const data = join(sandbox.folder, "data");
  mkdirSync(data);
  chmodSync(data, 0o777);
  const env = {
    FORAGER_DATA: data,
    FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "bucket")}`,
    FORAGER_QUEUE_URL: "sqlite:queue.db",
    FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
  };
  const forager = async (...args: readonly string[]) => {
    const open = `umask 0; exec "$0" "$FORAGER_TEST_MAIN" "$@"`;
    const run = await sandbox.run("sh", ["-c", open, process.execPath, ...args], { env });
    expect(run.exitCode, `${args.join(" ")}: ${run.stderr}`).toBe(0);
  };
  await forager("company", "add", "Acme Ltd", "--website", "acme.example");
  await forager("company", "note", "acme-ltd", "private");
  const [record = ""] = readdirSync(join(data, "companies"));
  const shared = join(data, "companies", record, "_index.md");
  chmodSync(shared, 0o644); // its owner wants others to read it
  await forager("company", "set", record, "city=Austin");
  expect(statSync(shared).mode & 0o777).toBe(0o644);
  chmodSync(shared, 0o600);
  await forager("company", "search", "acme");
  await forager("queue", "add", "page", "{}");
  await forager("work", "--drain", "--kinds", "enrich", "--listen", "127.0.0.1:0");
  await forager("ledger", "sync");
  await forager("export", "companies", "--to", "out.csv");

  const modes = new Map<string, string>();
  const look = (path: string) => {
    const found = statSync(path);
    modes.set(relative(sandbox.folder, path), (found.mode & 0o777).toString(8));
    if (found.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
  };
  for (const name of readdirSync(data)) look(join(data, name));
  look(join(sandbox.folder, "bucket"));
  look(join(sandbox.folder, "out.csv"));
  const names = [...modes.keys()].join("\n");
  for (const expected of ["queue.db", "_index.md", "gossip.key", "index", ".usv", "logs/"]) {
    expect(names).toContain(expected);
  }
  expect([...modes].filter(([, mode]) => mode !== "600" && mode !== "700")).toEqual([]);
});
