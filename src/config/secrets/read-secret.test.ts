import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { toSecret } from "./read-secret.ts";
import { runSecretCommand, secretBytesMax, secretCommandMsMax } from "./secret-command.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

const env = { PATH: "/usr/bin:/bin", SHELL: "/bin/sh", PIN: "1234" };
const name = "queue.password (forager.toml:3:1)";

const reveal = async (raw: unknown, folder = createTempFolder(), shell = env.SHELL) =>
  toSecret(raw, { name, folder, home: folder, env: { ...env, SHELL: shell } })?.reveal();

test("a string is the secret itself", async () => {
  expect(await reveal("hunter2\n")).toBe("hunter2\n");
});

test("a file is found from the settings' folder or home, and loses one last newline", async () => {
  const folder = createTempFolder({ "keys/pin": "a b\n\n", crlf: "x\r\n" });
  expect(await reveal({ file: "keys/pin" }, folder)).toBe("a b\n");
  expect(await reveal({ file: "~/keys/pin" }, folder)).toBe("a b\n");
  expect(await reveal({ file: join(folder, "crlf") }, folder)).toBe("x");
});

test("a command runs in the settings' folder with the user's shell and environment", async () => {
  const folder = createTempFolder({ pin: "from here\n" });
  expect(await reveal({ command: "cat pin; echo noise >&2" }, folder)).toBe("from here");
  expect(await reveal({ command: 'printf %s "$PIN"' }, folder)).toBe("1234");
  const bash = await reveal({ command: "echo ${BASH_VERSION:+bash}" }, folder, "/bin/bash");
  expect(bash).toBe("bash");
});

test("a variable is read when the secret is", async () => {
  expect(await reveal({ env: "PIN" })).toBe("1234");
});

test("a credential is a file in the folder that systemd names", async () => {
  const folder = createTempFolder({ "creds/queue.password": "1234\n", outside: "x" });
  const place = { name, folder, home: folder };
  const given = { ...env, CREDENTIALS_DIRECTORY: join(folder, "creds") };
  const read = (raw: unknown, variables: Record<string, string>) =>
    toSecret(raw, { ...place, env: variables })?.reveal();
  expect(await read({ credential: "queue.password" }, given)).toBe("1234");
  await expect(read({ credential: "queue.password" }, env)).rejects.toThrow(
    "add LoadCredential=queue.password:FILE to its unit",
  );
  await expect(read({ credential: "absent" }, given)).rejects.toThrow("(ENOENT)");
  for (const outside of ["../outside", "/outside", "..", ""])
    expect(await read({ credential: outside }, given)).toBeUndefined();
});

test("a command that fails is reported by setting and exit code, never by what it wrote", async () => {
  const failing = reveal({ command: "echo hunter2; echo hunter2 >&2; exit 7" });
  const error: unknown = await failing.catch((caught: unknown) => caught);
  expect(error).toMatchObject({ kind: "invalid", code: "secret_unreadable" });
  expect((error as Error).message).toBe(
    `${name}: the command ended with exit code 7: run it by hand to see why`,
  );
  expect((error as Error).cause).toBeUndefined();
});

test.each([
  [{ command: "kill -9 $$" }, "was ended by SIGKILL"],
  [{ command: "true" }, "gave nothing"],
  [{ command: "echo" }, "gave nothing"],
  [{ command: `head -c ${secretBytesMax + 1} /dev/zero` }, `more than ${secretBytesMax} bytes`],
  [{ command: "yes" }, `more than ${secretBytesMax} bytes`],
  [{ env: "ABSENT" }, "the environment variable ABSENT is not set"],
  [{ file: "missing" }, "(ENOENT)"],
  [{ file: "/dev/zero" }, `over ${secretBytesMax} bytes`],
  [{ file: "." }, "(EISDIR)"],
])("%j is refused: %s", async (raw, text) => {
  await expect(reveal(raw)).rejects.toMatchObject({
    kind: "invalid",
    message: expect.stringContaining(text) as string,
  });
});

test("a shell that does not exist is reported", async () => {
  const started = reveal({ command: "true" }, createTempFolder(), "/nowhere/sh");
  await expect(started).rejects.toThrow(`${name}: the command could not be started`);
});

test("a secret as long as the limit is read whole", async () => {
  const secret = await reveal({ command: `head -c ${secretBytesMax} /dev/zero` });
  expect(secret).toHaveLength(secretBytesMax);
});

test("a command that takes too long is ended, with all it has started", async () => {
  const folder = createTempFolder();
  const clock = createTestClock();
  // The inner shell outlives the outer one and holds its stdout, unless the group is ended.
  const command = "(echo ready > ready; sleep 1; echo late > late) & wait";
  const running = runSecretCommand({ name, command, folder, env, clock });
  const ended = expect(running).rejects.toThrow("took longer than 10 s and was ended");
  while (!existsSync(join(folder, "ready"))) await new Promise(setImmediate);
  await clock.advance(secretCommandMsMax);
  await ended;
  await new Promise((resolve) => setTimeout(resolve, 1300));
  expect(existsSync(join(folder, "late"))).toBe(false);
});

test("what is neither string, file nor command is not a secret", async () => {
  const wrong = ["", 5, true, {}, [], { file: "" }, { command: 1 }, { file: "a", command: "b" }];
  for (const raw of wrong) expect(await reveal(raw)).toBeUndefined();
});
