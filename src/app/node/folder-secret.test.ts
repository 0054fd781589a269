import { fork } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import { openFolderSecret } from "./folder-secret.ts";
import { readOwnKeyring } from "./open-node.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-secret-"));
  chmodSync(folder, 0o755); // like a folder that a user created
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a secret is made once, is for this user alone, and leaves nothing else behind", async () => {
  const file = join(folder, "node", "x.key");
  let made = 0;
  const open = () => openFolderSecret({ file, make: () => `secret ${(made += 1)}` });
  const umask = process.umask(0);
  try {
    expect(await open()).toBe("secret 1");
  } finally {
    process.umask(umask);
  }
  expect(await open()).toBe("secret 1");
  expect([modeOf(file), modeOf(join(folder, "node"))]).toEqual([0o600, 0o700]);
  expect(readdirSync(join(folder, "node"))).toEqual(["x.key"]);
});

test("many at once get the same secret", async () => {
  const file = join(folder, "node", "x.key");
  const open = (_: unknown, index: number) => openFolderSecret({ file, make: () => `s${index}` });
  const secrets = await Promise.all(Array.from({ length: 20 }, open));
  expect(new Set(secrets).size).toBe(1);
});

test("processes that start at once get the same secret", async () => {
  const program = fileURLToPath(new URL("../testing/secret-process.ts", import.meta.url));
  const file = join(folder, "node", "x.key");
  const children = Array.from({ length: 4 }, () =>
    fork(program, [file], { execArgv: ["--import", "tsx"] }),
  );
  const answers = (count: number) =>
    Promise.all(
      children.map(
        (child) =>
          new Promise<string>((resolve, reject) => {
            child.once("message", (text) => resolve(JSON.stringify(text)));
            child.once("exit", () => reject(new Error(`a process ended before answer ${count}`)));
          }),
      ),
    );
  try {
    await answers(1); // all are loaded
    const secrets = answers(2);
    for (const child of children) child.send("go");
    expect(new Set(await secrets).size).toBe(1);
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
});

test("a folder's own gossip key is a key, and a damaged file is said", async () => {
  const paths = createPaths(folder);
  const first = await readOwnKeyring(paths, systemRandom);
  expect(first.keys).toHaveLength(1);
  expect(await readOwnKeyring(paths, systemRandom)).toEqual(first);
  writeFileSync(join(folder, "node", "gossip.key"), "");
  await expect(readOwnKeyring(paths, systemRandom)).rejects.toMatchObject({
    kind: "invalid",
    message: expect.stringContaining("node/gossip.key contains no gossip key: delete it") as string,
  });
});
