// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { runUp } from "../support/run-up.ts";
import { until } from "../support/until.ts";

/** Notes its arguments where the real one would send them: the long group `containers` runs that. */
const fakeNotify = `#!/bin/sh
echo "$NOTIFY_SOCKET $*" >> "$(dirname "$0")/../notified"
`;

const handlers = `
import { writeFileSync } from "node:fs";
export const look = {
  kind: "look",
  run: async () => writeFileSync("seen", JSON.stringify(Object.keys(process.env))),
};
`;

test("systemd is notified that the node is ready, alive and stopping; its workers send no notifications", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const at = (name: string) => join(sandbox.folder, name);
  mkdirSync(at("bin"));
  writeFileSync(at("bin/systemd-notify"), fakeNotify);
  chmodSync(at("bin/systemd-notify"), 0o755);
  writeFileSync(at("handlers.mjs"), handlers);
  writeFileSync(at("notified"), "");
  const notified = () => readFileSync(at("notified"), "utf8");
  const up = await runUp(sandbox, ["--data", "data", "--handlers", "handlers.mjs"], {
    PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`,
    NOTIFY_SOCKET: "@manager",
    WATCHDOG_USEC: "600000",
    FORAGER_GOSSIP_ON: "no",
  });
  await until(
    () => /^@manager READY=1 STATUS=.+$/m.test(notified()),
    () => up.stderr(),
  );
  await until(
    () => /^@manager WATCHDOG=1 STATUS=1 of 1 worker process running, 0 tasks/m.test(notified()),
    () => `${notified()}${up.stderr()}`,
  );
  const added = await sandbox.forager(["queue", "add", "look", "{}", "--data", "data"]);
  expect(added.exitCode, added.stderr).toBe(0);
  const seen = await until(
    () => JSON.parse(readOr(at("seen"), "null")) as string[] | null,
    () => up.stderr(),
  );
  expect(seen).toContain("PATH");
  expect(seen.filter((name) => /^(?:NOTIFY|WATCHDOG)_/.test(name))).toEqual([]);
  up.kill("SIGTERM");
  expect(await up.ended).toBe(0);
  expect(notified().trim().split("\n").at(-1)).toBe("@manager STOPPING=1 STATUS=stopping");
});

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8") || otherwise;
  } catch {
    return otherwise;
  }
}
