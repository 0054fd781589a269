// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

test("commands write, and sync, beside a process that holds the ledger; killed, it leaves all of it sound", async () => {
  const program = join(repositoryRoot, "src/ledger/testing/shared-program.ts");
  const folder = join(sandbox.folder, "a");
  const child = spawn(process.execPath, ["--import", "tsx", program, folder, "long", "300"], {
    cwd: repositoryRoot,
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    let text = "";
    const done = new Promise<void>((resolve) =>
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.endsWith("done\n")) resolve();
      }),
    );
    await once(child.stdout, "data");
    const forager = async (line: string) => {
      const result = await sandbox.forager([...line.split(" "), "--data", "a"]);
      expect(result.exitCode, result.stderr).toBe(0);
      return result.stdout;
    };
    const names = ["one", "two", "three"];
    const told = await Promise.all(names.map((name) => forager(`ledger set company/x ${name}=1`)));
    expect(told).toEqual(names.map(() => "1 of 1 fields of company/x changed\n"));
    expect(await forager("ledger sync --bucket dir:fleet")).toMatch(/datagrams published/u);
    await done;
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await forager("ledger set company/x four=1")).toContain("1 of 1 fields");
    expect(await forager("ledger verify")).toContain("checkpoint 0 and 304 datagrams are sound");
  } finally {
    child.kill("SIGKILL");
  }
});
