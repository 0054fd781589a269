import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { deployFleet, type DeployOptions } from "./deploy-fleet.ts";
import type { HostReport } from "./preflight.ts";
import { openReleaseSource, type OpenRelease } from "./release-source.ts";
import { createLocalHosts, type LocalHosts } from "./testing/run-locally.ts";

// Hosts are folders. The scripts of the hosts run for real, each in a shell of its own.
const platform = `linux-${process.arch}`;
const gate = { withinMs: 15_000, watchMs: 0, marginMs: 15_000 };
let top = "";
let hosts: LocalHosts;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "forager-deploy-test-"));
  hosts = createLocalHosts((host) => join(top, host));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A release whose program says its version. A broken one runs, and its health check fails. */
function writeRelease(folder: string, id: string, health = "ok"): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "release.json"), JSON.stringify({ format: 1, version: "1.0.0", id, platform })); // prettier-ignore
  writeFileSync(join(folder, "bin/forager"), `#!/bin/sh\necho ${id}\n`);
  writeFileSync(join(folder, "bin/node"), "the same in all releases");
  writeFileSync(join(folder, "health"), health);
  writeFileSync(join(folder, "dist", `only-in-${id}`), id);
  chmodSync(join(folder, "bin/forager"), 0o755);
}

async function release(id: string, health?: string): Promise<readonly OpenRelease[]> {
  const folder = join(top, "releases", id);
  writeRelease(folder, id, health);
  return (await openReleaseSource(folder)).releases;
}

/** A host as install.sh leaves it. Its service "runs" the release whose id is in `running`. */
function addHost(host: string, id = "1.0.0-old"): void {
  const root = join(top, host, "forager");
  writeRelease(join(root, "releases", id), id);
  symlinkSync(`releases/${id}`, join(root, "current"));
  writeFileSync(join(root, "running"), id);
}

const rootOf = (host: string) => join(top, host, "forager");
const current = (host: string) => readlinkSync(join(rootOf(host), "current")).replace("releases/", ""); // prettier-ignore
const running = (host: string) => readFileSync(join(rootOf(host), "running"), "utf8").trim();
const log = (host: string) => readFileSync(join(rootOf(host), "deploy/log"), "utf8");

function options(more: Partial<DeployOptions> & Pick<DeployOptions, "hosts">): DeployOptions {
  return {
    run: async (host, command) => {
      // Each host has a folder of its own instead of a machine of its own.
      const args = command.args.map((word) => word.replaceAll("HOST", join(top, host)));
      return await hosts.run(host, { ...command, args });
    },
    releases: undefined,
    folder: "HOST/forager",
    restartCommand: 'basename "$(readlink HOST/forager/current)" > HOST/forager/running',
    healthCommand:
      'cat HOST/forager/current/health; test "$(cat HOST/forager/current/health)" = ok',
    batch: 1,
    gate,
    isDryRun: false,
    owner: "anna@desk",
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    ...more,
  };
}

test("a release is uploaded, switched to, watched and confirmed, the canary first", async () => {
  for (const host of ["pi-1", "pi-2", "pi-3"]) addHost(host);
  const steps: string[] = [];
  const report = await deployFleet(
    options({
      hosts: ["pi-1", "pi-2", "pi-3"],
      canary: "pi-2",
      batch: 2,
      releases: await release("1.1.0-new"),
      onStep: (host, step) => void steps.push(`${host} ${step}`),
    }),
  );
  expect(report.outcome).toBe("done");
  for (const host of ["pi-1", "pi-2", "pi-3"]) {
    expect([current(host), running(host)]).toEqual(["1.1.0-new", "1.1.0-new"]);
    expect(readlinkSync(join(rootOf(host), "previous"))).toBe("releases/1.0.0-old");
    expect(log(host)).toContain("anna@desk releases/1.0.0-old -> releases/1.1.0-new confirmed");
    expect(existsSync(join(rootOf(host), "deploy/lock"))).toBe(false);
  }
  expect(steps.indexOf("pi-2 confirmed")).toBeLessThan(steps.indexOf("pi-1 switching"));
  // The file that both have is one file; what only the old one had is gone.
  const files = (id: string) => join(rootOf("pi-1"), "releases", id);
  expect(statSync(join(files("1.1.0-new"), "bin/node")).ino).toBe(
    statSync(join(files("1.0.0-old"), "bin/node")).ino,
  );
  expect(readdirSync(join(files("1.1.0-new"), "dist"))).toEqual(["only-in-1.1.0-new"]);
  expect(readdirSync(join(files("1.0.0-old"), "dist"))).toEqual(["only-in-1.0.0-old"]);
});

test("what runs already is left alone", async () => {
  addHost("pi-1", "1.1.0-new");
  const report = await deployFleet(options({ hosts: ["pi-1"], releases: await release("1.1.0-new") })); // prettier-ignore
  expect(report).toMatchObject({ outcome: "nothing", hosts: [{ outcome: "same" }] });
  expect(hosts.calls).toEqual(["pi-1 preflight"]);
});

test("a dry run only asks", async () => {
  addHost("pi-1");
  const before = execFileSync("find", [rootOf("pi-1"), "-printf", "%p %T@ %l\n"], { encoding: "utf8" }); // prettier-ignore
  const report = await deployFleet(options({ hosts: ["pi-1"], releases: await release("1.1.0-new"), isDryRun: true })); // prettier-ignore
  expect(report).toMatchObject({ outcome: "planned", hosts: [{ from: "1.0.0-old", to: "1.1.0-new" }] }); // prettier-ignore
  expect(execFileSync("find", [rootOf("pi-1"), "-printf", "%p %T@ %l\n"], { encoding: "utf8" })).toBe(before); // prettier-ignore
});

test("a broken release goes back, and the hosts after it are not touched", async () => {
  for (const host of ["pi-1", "pi-2"]) addHost(host);
  const releases = await release("1.1.0-bad", "the database is too old");
  const report = await deployFleet(
    options({ hosts: ["pi-1", "pi-2"], releases, gate: { ...gate, withinMs: 3_000 } }),
  );
  expect(report.outcome).toBe("failed");
  expect(report.hosts[0]).toMatchObject({ outcome: "rolled_back" });
  expect(report.hosts[0]!.why).toContain("not healthy within 3 s: the database is too old");
  expect(report.hosts[1]).toMatchObject({ outcome: "waiting" });
  for (const host of ["pi-1", "pi-2"])
    expect([current(host), running(host)]).toEqual(["1.0.0-old", "1.0.0-old"]);
  expect(existsSync(join(rootOf("pi-1"), "previous"))).toBe(false);
  expect(log("pi-1")).toMatch(/1\.1\.0-bad -> releases\/1\.0\.0-old rolled back: not healthy/);
});

test("a batch with a broken host goes back as a whole", async () => {
  for (const host of ["pi-1", "pi-2", "pi-3", "pi-4"]) addHost(host);
  const healthCommand = 'test ! -f HOST/broken || test "$(cat HOST/forager/running)" = 1.0.0-old';
  writeFileSync(join(top, "pi-3", "broken"), "");
  const report = await deployFleet(
    options({
      hosts: ["pi-1", "pi-2", "pi-3", "pi-4"],
      batch: 2,
      releases: await release("1.1.0-new"),
      healthCommand,
      gate: { ...gate, withinMs: 3_000 },
    }),
  );
  expect(report.hosts.map(({ outcome }) => outcome)).toEqual([
    "confirmed",
    "rolled_back",
    "rolled_back",
    "waiting",
  ]);
  expect(report.hosts[1]!.why).toBe("pi-3 in the same batch failed");
  expect(["pi-1", "pi-2", "pi-3", "pi-4"].map(running)).toEqual([
    "1.1.0-new",
    "1.0.0-old",
    "1.0.0-old",
    "1.0.0-old",
  ]);
});

test("a release that does not run there, or arrives damaged, never gets in place", async () => {
  addHost("pi-1");
  const [made] = await release("1.1.0-new");
  writeFileSync(join(made!.folder, "bin/forager"), "#!/bin/sh\nexit 7\n");
  const damaged = deployFleet(options({ hosts: ["pi-1"], releases: [made!] }));
  await expect(damaged).rejects.toThrow(/pi-1: the upload failed: .*bin\/forager: FAILED/);
  const again = (await openReleaseSource(made!.folder)).releases;
  const useless = deployFleet(options({ hosts: ["pi-1"], releases: again }));
  await expect(useless).rejects.toThrow("pi-1: release 1.1.0-new does not run on this host");
  expect(readdirSync(join(rootOf("pi-1"), "releases"))).toEqual(["1.0.0-old"]);
  expect(existsSync(join(rootOf("pi-1"), "deploy/lock"))).toBe(false);
});

describe("a connection that is cut", () => {
  const actions = ["take_lock", "manifest", "stage", "data", "accept", "switch_to", "confirm"];
  const cases = actions.flatMap(
    (action) =>
      [
        [action, "before"],
        [action, "after"],
      ] as const,
  );

  test.each(cases)(
    "once, at %s, %s it ran: a host is never left in between",
    async (action, when) => {
      addHost("pi-1");
      let isCut = false;
      hosts.cut = (_, called) => {
        if (isCut || called !== action) return undefined;
        isCut = true;
        return when;
      };
      const releases = await release("1.1.0-new");
      const deploying = deployFleet(options({ hosts: ["pi-1"], releases }));
      const ended = await deploying.catch((error: unknown) => error as Error);
      expect(isCut).toBe(true);
      // If nothing had been switched it is an error, and the host is as before.
      if (ended instanceof Error) {
        expect(actions.indexOf(action)).toBeLessThan(actions.indexOf("switch_to"));
        expect(ended.message).toContain("pi-1: the connection was cut");
      } else if (action === "confirm") expect(ended.outcome).toBe("done");
      else expect(ended.hosts[0]).toMatchObject({ outcome: "rolled_back" });
      const expected = action === "confirm" ? "1.1.0-new" : "1.0.0-old";
      expect([current("pi-1"), running("pi-1")]).toEqual([expected, expected]);
      // Nothing is left that blocks the next deploy, or fills the disk.
      const left = execFileSync("find", [rootOf("pi-1"), "-name", "*.part*", "-o", "-name", "lock", "-o", "-name", "pending-*", "-o", "-name", "undoing-*"], { encoding: "utf8" }); // prettier-ignore
      expect(left).toBe("");
    },
  );

  test("for good after the switch: the host goes back by itself", async () => {
    addHost("pi-1");
    hosts.cut = (_, action) => (/health|confirm|roll_back|last/.test(action) ? "before" : undefined); // prettier-ignore
    const report = await deployFleet(
      options({
        hosts: ["pi-1"],
        releases: await release("1.1.0-new"),
        gate: { withinMs: 3_000, watchMs: 0, marginMs: 1_000 },
      }),
    );
    expect(report.hosts[0]).toMatchObject({ outcome: "unknown" });
    await expect.poll(() => existsSync(join(rootOf("pi-1"), "deploy/log"))).toBe(true);
    expect([current("pi-1"), running("pi-1")]).toEqual(["1.0.0-old", "1.0.0-old"]);
    expect(log("pi-1")).toContain("rolled back: not confirmed in time");
  });

  test("an unconfirmed switch whose guard was lost is undone by the next deploy", async () => {
    addHost("pi-1");
    writeRelease(join(rootOf("pi-1"), "releases", "1.1.0-half"), "1.1.0-half");
    rmSync(join(rootOf("pi-1"), "current"));
    symlinkSync("releases/1.1.0-half", join(rootOf("pi-1"), "current"));
    mkdirSync(join(rootOf("pi-1"), "deploy"));
    const restart = `basename "$(readlink ${rootOf("pi-1")}/current)" > ${rootOf("pi-1")}/running`;
    const lines = ["releases/1.0.0-old", "", "releases/1.1.0-half", restart, "ben@desk", ""];
    writeFileSync(join(rootOf("pi-1"), "deploy/pending-0abc"), lines.join("\n"));
    const report = await deployFleet(options({ hosts: ["pi-1"], releases: await release("1.2.0-next") })); // prettier-ignore
    expect(report.outcome).toBe("done");
    expect(log("pi-1")).toMatch(/ben@desk .*rolled back: left by an earlier deploy\n.*1\.0\.0-old -> releases\/1\.2\.0-next confirmed/); // prettier-ignore
  });
});

describe("the lock", () => {
  const writeLock = (host: string, expiresInS: number) => {
    mkdirSync(join(rootOf(host), "deploy"), { recursive: true });
    const expires = Math.floor(systemClock.nowMs() / 1_000) + expiresInS;
    writeFileSync(join(rootOf(host), "deploy/lock"), `another\n${expires}\nben@desk\n`);
  };

  test("of somebody else stops a deploy before anything is changed", async () => {
    for (const host of ["pi-1", "pi-2"]) addHost(host);
    writeLock("pi-2", 600);
    const report = await deployFleet(options({ hosts: ["pi-1", "pi-2"], releases: await release("1.1.0-new") })); // prettier-ignore
    expect(report.outcome).toBe("refused");
    expect(report.hosts[1]!.why).toMatch(/^locked by ben@desk, \d+ s left$/);
    expect(hosts.calls.toSorted()).toEqual(["pi-1 preflight", "pi-2 preflight"]);
  });

  test("that expired is taken over", async () => {
    addHost("pi-1");
    writeLock("pi-1", -1);
    const report = await deployFleet(options({ hosts: ["pi-1"], releases: await release("1.1.0-new") })); // prettier-ignore
    expect(report.outcome).toBe("done");
  });

  test("lets one of two deployers in, and the other one changes nothing", async () => {
    const names = ["pi-1", "pi-2", "pi-3"];
    for (const host of names) addHost(host);
    const made = [await release("1.1.0-a"), await release("1.1.0-b")];
    const ends = made.map(() => {
      let resolve = () => {};
      const promise = new Promise<void>((settle) => (resolve = settle));
      return { promise, resolve: () => resolve() };
    });
    const ended = await Promise.all(
      made.map(async (releases, index) => {
        const own = options({ hosts: index === 0 ? names : names.toReversed(), releases });
        const run: DeployOptions["run"] = async (host, command) => {
          // The one that has the locks continues only when the other one has ended.
          if (command.args[0] === "manifest") await ends[1 - index]!.promise;
          return await own.run(host, command);
        };
        const deploying = deployFleet({ ...own, run }).catch((error: unknown) => error as Error);
        return await deploying.finally(() => ends[index]!.resolve());
      }),
    );
    const winners = ended.filter((one) => !(one instanceof Error) && one.outcome === "done");
    expect(winners).toHaveLength(1);
    expect(new Set(names.map(running)).size).toBe(1);
    const other = ended.find((one) => one !== winners[0])!;
    expect(other instanceof Error ? other.message : JSON.stringify(other)).toContain("anna@desk");
  });
});

test("old releases are removed after success and after failure, also half uploads", async () => {
  addHost("pi-1", "0.1.0-old");
  const kept = () => readdirSync(join(rootOf("pi-1"), "releases")).toSorted();
  for (const id of ["0.2.0-a", "0.3.0-a", "0.4.0-a", "0.5.0-a"]) {
    const result = await deployFleet(options({ hosts: ["pi-1"], releases: await release(id) }));
    expect(result.outcome).toBe("done");
  }
  expect(kept()).toHaveLength(3);
  mkdirSync(join(rootOf("pi-1"), "releases/0.9.0-a.part-0000/dist"), { recursive: true });
  const bad = await release("0.6.0-bad", "broken");
  await deployFleet(
    options({ hosts: ["pi-1"], releases: bad, gate: { ...gate, withinMs: 2_000 } }),
  );
  expect(kept()).toHaveLength(3);
  expect(kept()).toEqual(expect.arrayContaining(["0.5.0-a", "0.4.0-a"]));
  expect(current("pi-1")).toBe("0.5.0-a");
});

test("a roll-back goes to the release before, or to a named one, or nowhere", async () => {
  addHost("pi-1");
  await deployFleet(options({ hosts: ["pi-1"], releases: await release("1.1.0-new") }));
  const back = await deployFleet(options({ hosts: ["pi-1"] }));
  expect(back).toMatchObject({ outcome: "done", hosts: [{ from: "1.1.0-new", to: "1.0.0-old" }] });
  expect(running("pi-1")).toBe("1.0.0-old");
  const named = await deployFleet(options({ hosts: ["pi-1"], to: "1.1.0-new" }));
  expect([named.outcome, running("pi-1")]).toEqual(["done", "1.1.0-new"]);
  const missing = await deployFleet(options({ hosts: ["pi-1"], to: "3.0.0-no" }));
  expect(missing.hosts[0]!.why).toBe("release 3.0.0-no is not on this host");
});

test("a stopped deploy goes back and unlocks", async () => {
  addHost("pi-1");
  const stop = new AbortController();
  const report = await deployFleet(
    options({
      hosts: ["pi-1"],
      releases: await release("1.1.0-new", "not yet"),
      signal: stop.signal,
      onStep: (_, step) => step === "watching" && stop.abort(),
    }),
  );
  expect(report.hosts[0]).toMatchObject({ outcome: "rolled_back" });
  expect(running("pi-1")).toBe("1.0.0-old");
  expect(existsSync(join(rootOf("pi-1"), "deploy/lock"))).toBe(false);
});

describe("the pre-flight", () => {
  /** Replaces programs of the host. */
  const withPrograms = (programs: Readonly<Record<string, string>>): Partial<DeployOptions> => {
    const bin = join(top, "bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    return {
      run: async (host, command) => {
        const args = command.args.map((word) => word.replaceAll("HOST", join(top, host)));
        return await hosts.run(host, { ...command, script: command.script.replace("s=$(cat)", `s=$(cat); PATH=${bin}:$PATH`), args }); // prettier-ignore
      },
    };
  };
  const problemsWith = async (programs: Readonly<Record<string, string>>) => {
    const report = await deployFleet(
      options({ hosts: ["pi-1"], releases: await release("1.1.0-new"), ...withPrograms(programs) }),
    );
    expect(report.outcome).toBe("refused");
    return report.hosts[0]!.why;
  };

  test("finds what would go wrong, and nothing is changed", async () => {
    addHost("pi-1");
    expect(await problemsWith({ date: "echo 1000000000" })).toMatch(/^its clock is off by -\d+ s/);
    rmSync(join(top, "bin"), { recursive: true });
    expect(await problemsWith({ df: "echo header; echo /dev/x 1 1 0 99% /" })).toMatch(/^0 MB free, but \d+ MB are needed$/); // prettier-ignore
    rmSync(join(top, "bin"), { recursive: true });
    expect(await problemsWith({ getconf: "echo 32" })).toMatch(/^Linux on \S+, 32 bit: releases are for 64-bit/); // prettier-ignore
    rmSync(join(top, "bin"), { recursive: true });
    expect(await problemsWith({ id: "echo 1000", sudo: "exit 1" })).toBe("neither root nor sudo without a password"); // prettier-ignore
    expect(existsSync(join(rootOf("pi-1"), "deploy"))).toBe(false);
  });

  test("says which host cannot be reached or has no Forager, beside those that can", async () => {
    addHost("pi-1");
    mkdirSync(join(top, "pi-2"));
    hosts.cut = (host) => (host === "pi-3" ? "before" : undefined);
    const shown: HostReport[] = [];
    const report = await deployFleet(
      options({
        hosts: ["pi-1", "pi-2", "pi-3"],
        releases: await release("1.1.0-new"),
        onPreflight: (reports) => void shown.push(...reports),
      }),
    );
    expect(report.hosts.map(({ why }) => why)).toEqual([
      undefined,
      `no Forager in HOST/forager: run install.sh there once`,
      "not reachable: the connection was cut",
    ]);
    expect(shown.map(({ isReachable }) => isReachable)).toEqual([true, true, false]);
  });
});
