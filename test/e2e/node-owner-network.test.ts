// needs: namespaces
// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { openNetwork, type NetworkNode } from "../support/namespaces.ts";
import { expectWrittenOnce, ownerPid, startNodeWriter } from "../support/node-writers.ts";
import { needs } from "../support/services.ts";

needs(["namespaces"], () => {
  test("two networks, one data folder, as two containers have it: the second is refused; in the same network it is a client", async () => {
    await using network = await openNetwork({ nodes: 2 });
    const [near, far] = network.nodes as [NetworkNode, NetworkNode];
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    const folder = join(sandbox.folder, "data");
    const owner = await startNodeWriter({
      folder,
      name: "owner",
      fields: 100,
      startIn: (program, args) => near.spawn(program, args),
    });
    expect(await owner.done).toBe(true);
    const main = await builtCli();
    const forager = (at: NetworkNode, ...args: readonly string[]) => {
      const inside = ["netns", "exec", at.namespace, process.execPath, main];
      return sandbox.run("ip", [...inside, ...args, "--data", folder]);
    };
    const set = ["ledger", "set", "company/x", "name=X"];
    const [here, refused, service] = await Promise.all([
      forager(near, ...set),
      forager(far, ...set),
      forager(far, "work", "--json"),
    ]);
    expect(here, here.stderr).toMatchObject({ exitCode: 0 });
    for (const one of [refused, service]) {
      expect(one).toMatchObject({ exitCode: 3, stdout: "" });
      expect(one.stderr).toContain("owns the data folder and does not answer");
      expect(one.stderr).toContain("give both the same network");
    }
    expect(service.stderr).toContain('"code":"node_in_use"');
    // What only reads needs no owner: the files are on the same disk.
    const log = await forager(far, "ledger", "log", "--limit", "2");
    expect([log.exitCode, log.stdout]).toEqual([0, expect.stringContaining("company/x")]);
    expect(ownerPid(folder)).toBe(owner.child.pid);
    expect(await owner.end(), owner.errors()).toBe(0);
    // The folder is free: now the other network may own it.
    expect((await forager(far, ...set.slice(0, 3), "city=Bonn")).exitCode).toBe(0);
    expect(await expectWrittenOnce(sandbox, folder, [owner])).toBe(102);
  });
});
