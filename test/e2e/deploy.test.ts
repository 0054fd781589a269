// needs: sshd
// inputs: src/**
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createRunBySsh } from "../../src/ship/deploy/adapters/ssh/run-by-ssh.ts";
import { deployFleet, type DeployOptions } from "../../src/ship/deploy/deploy-fleet.ts";
import { openReleaseSource } from "../../src/ship/deploy/release-source.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";
import { startSshHosts, type SshHost, type SshHosts } from "../support/ssh-hosts.ts";
import { until } from "../support/until.ts";

/** With a file `hold` the restart of a new release waits. */
const restartCommand =
  'touch /opt/forager/restarting; while test -f /opt/forager/hold && readlink /opt/forager/current | grep -q new; do sleep 0.1; done; basename "$(readlink /opt/forager/current)" > /opt/forager/running';
const healthCommand = "grep -x ok /opt/forager/current/health";

needs(["sshd"], ({ sshd }) => {
  let sandbox: Sandbox;
  let machines: SshHosts;
  let first: SshHost;

  beforeEach(async () => {
    sandbox = await createSandbox({ hasSharedProcess: true });
    machines = await startSshHosts(sandbox.folder, ["pi-1", "pi-2"], sshd);
    [first] = machines.hosts as [SshHost];
    for (const { root } of machines.hosts) {
      writeRelease(join(root, "releases", "1.0.0-old"), "1.0.0-old");
      symlinkSync("releases/1.0.0-old", join(root, "current"));
      writeFileSync(join(root, "running"), "1.0.0-old");
    }
    const quoted = [restartCommand, healthCommand].map((text) => `'''${text}'''`);
    const lines = ['[fleet]\nhosts = ["pi-1", "pi-2"]', `[deploy]\nrestartCommand = ${quoted[0]}`, `healthCommand = ${quoted[1]}`]; // prettier-ignore
    writeFileSync(join(sandbox.folder, "forager.toml"), `data = "data"\n${lines.join("\n")}\n`);
  });
  afterEach(async () => {
    await machines[Symbol.asyncDispose]();
    sandbox.remove();
  });

  function writeRelease(folder: string, id: string, health = "ok"): string {
    mkdirSync(join(folder, "bin"), { recursive: true });
    const platform = `linux-${process.arch}`;
    writeFileSync(join(folder, "release.json"), JSON.stringify({ format: 1, version: "1.0.0", id, platform })); // prettier-ignore
    writeFileSync(join(folder, "bin/forager"), `#!/bin/sh\necho ${id}\n`);
    chmodSync(join(folder, "bin/forager"), 0o755);
    writeFileSync(join(folder, "bin/node"), Buffer.alloc(2_000_000, 7));
    writeFileSync(join(folder, "health"), health);
    return folder;
  }
  const release = (id: string, health?: string) =>
    writeRelease(join(sandbox.folder, "made", id), id, health);
  const forager = (...args: string[]) =>
    sandbox.forager(args, { env: { PATH: `${machines.bin}:${process.env["PATH"]}` } });
  const running = ({ root }: SshHost) => readFileSync(join(root, "running"), "utf8").trim();
  const current = ({ root }: SshHost) => readlinkSync(join(root, "current"));

  test("B25: hosts of the settings are checked, updated and rolled back over ssh", async () => {
    const from = release("1.1.0-new");
    const dry = await forager("deploy", "--from", from, "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0 });
    expect(dry.stderr).toMatch(
      /^pi-1 +linux-\S+ +\d+ MB +own +ok +free +1\.0\.0-old +1\.1\.0-new$/m,
    );
    expect(dry.stdout).toContain("dry run: nothing was changed");
    expect(readdirSync(first.root).toSorted()).toEqual(["current", "releases", "running"]);

    const done = await forager("deploy", "--from", from, "--healthy-for", "1s", "--json");
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    const row = { from: "1.0.0-old", to: "1.1.0-new", outcome: "confirmed" };
    expect(JSON.parse(done.stdout)).toEqual({
      outcome: "done",
      hosts: [{ host: "pi-1", ...row }, { host: "pi-2", ...row }], // prettier-ignore
    });
    expect(machines.hosts.map(running)).toEqual(["1.1.0-new", "1.1.0-new"]);
    const again = await forager("deploy", "--from", from);
    expect(again.stdout).toContain("nothing to do");
    const audit = await forager("audit-log", "list", "--json");
    expect(audit.stdout).toContain('"deploy"');

    const back = await forager("deploy", "pi-2", "--rollback", "--healthy-for", "0");
    expect(back, back.stderr).toMatchObject({ exitCode: 0 });
    expect(machines.hosts.map(running)).toEqual(["1.1.0-new", "1.0.0-old"]);
  });

  test("a broken release goes back with exit code 3; unknown hosts, keys and flags are refused", async () => {
    const bad = release("1.1.0-bad", "not at all");
    const broken = await forager("deploy", "--from", bad, "--within", "8s");
    expect(broken, broken.stderr).toMatchObject({ exitCode: 3 });
    expect(broken.stdout).toMatch(/^pi-1 .*went back +(?:not healthy|no answer) within 8 s/m);
    expect(broken.stdout).toMatch(/^pi-2 .*not changed/m);
    expect(machines.hosts.map(running)).toEqual(["1.0.0-old", "1.0.0-old"]);

    const good = release("1.2.0-new");
    const unknown = await forager("deploy", "pi-1", "pi-9", "--from", good);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain("pi-9: not reachable: its host key is not known");
    expect(unknown.stdout).toContain("nothing was changed");
    for (const [args, words] of [
      [["--", "-oProxyCommand=x"], "is not a host"],
      [["pi-1", "--from", "nowhere"], "there is no release at"],
      [["pi-1", "--canary", "pi-7", "--from", good], "the canary pi-7 is not one of the hosts"],
      [["pi-1", "--batch", "0", "--from", good], "--batch takes"],
      [["pi-1", "--to", "x"], "--to can only be used with --rollback"],
    ] as const) {
      const wrong = await forager("deploy", ...args);
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    expect(machines.hosts.map(current)).toEqual(["releases/1.0.0-old", "releases/1.0.0-old"]);
  });

  async function deployWith(more: Partial<DeployOptions>) {
    await using source = await openReleaseSource(release("1.1.0-new"));
    return await deployFleet({
      hosts: ["pi-1", "pi-2"],
      run: createRunBySsh({ program: machines.program, clock: systemClock }),
      releases: source.releases,
      folder: "/opt/forager",
      restartCommand,
      healthCommand,
      batch: 1,
      gate: { withinMs: 60_000, watchMs: 0, marginMs: 60_000 },
      isDryRun: false,
      owner: "anna@desk",
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      ...more,
    });
  }

  test("a wire that is cut during the upload changes nothing", async () => {
    const cut = deployWith({ onStep: (_, step) => step === "uploading" && first.cut() });
    await expect(cut).rejects.toThrow(/^pi-1: /);
    first.heal();
    expect(machines.hosts.map(current)).toEqual(["releases/1.0.0-old", "releases/1.0.0-old"]);
    expect(machines.hosts.map(running)).toEqual(["1.0.0-old", "1.0.0-old"]);
  });

  /** Cuts the wire of the first host in the middle of its restart. */
  async function cutInRestart(more: Partial<DeployOptions>, isHealed: boolean) {
    writeFileSync(join(first.root, "hold"), "");
    const deploying = deployWith(more);
    await until(() => existsSync(join(first.root, "restarting")), "the restart has begun");
    first.cut();
    if (isHealed) first.heal();
    const report = await deploying;
    await until(() => current(first) === "releases/1.0.0-old", "the host has gone back");
    rmSync(join(first.root, "hold"));
    await until(() => running(first) === "1.0.0-old", "the old release runs");
    return report.hosts.map(({ outcome }) => outcome);
  }

  test("a wire that is cut during the restart, and comes back: the host is rolled back", async () => {
    expect(await cutInRestart({}, true)).toEqual(["rolled_back", "waiting"]);
  });

  test("a wire that is cut for good: the host goes back by itself, and the next deploy is let in", async () => {
    const gate = { withinMs: 10_000, watchMs: 0, marginMs: 1_000 };
    expect(await cutInRestart({ gate }, false)).toEqual(["unknown", "waiting"]);
    // As if minutes had passed: the lock could not be released over the cut wire.
    first.heal();
    const lock = join(first.root, "deploy/lock");
    writeFileSync(lock, readFileSync(lock, "utf8").replace(/\n\d+\n/, "\n1\n"));
    expect((await deployWith({})).outcome).toBe("done");
    expect(machines.hosts.map(running)).toEqual(["1.1.0-new", "1.1.0-new"]);
  });
});
