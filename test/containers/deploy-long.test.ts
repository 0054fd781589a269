// long: containers
// needs: podman sshd namespaces
// inputs: src/** packaging/** scripts/** package.json package-lock.json tsconfig.json tsconfig.build.json
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createRunBySsh } from "../../src/ship/deploy/adapters/ssh/run-by-ssh.ts";
import { deployFleet } from "../../src/ship/deploy/deploy-fleet.ts";
import { openReleaseSource } from "../../src/ship/deploy/release-source.ts";
import type { RemoteCommand, RunRemotely } from "../../src/ship/deploy/remote.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { openContainers, type Containers } from "../support/containers.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const timeout = 1_800_000;
const hosts = ["pi-1", "pi-2", "pi-3"];
const nameOf = (host: string) => `forager-test-deploy-${process.pid}-${host}`;

/** Counts each start and each end, and takes a while. */
const handlers = `import { appendFileSync } from "node:fs";
export const nap = {
  kind: "nap",
  timeoutMs: 60_000,
  async run({ task }) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    appendFileSync("/var/lib/forager/naps", task.key + "\\n");
    return { kind: "done" };
  },
};
`;

needs(["podman", "sshd", "namespaces"], ({ podman: programs, sshd, namespaces }) => {
  let containers: Containers;
  let sandbox: Sandbox;
  let bin = "";
  let old = "";

  const sh = async (host: string, command: string) => {
    const { exitCode, output } = await containers.exec(nameOf(host), "sh", "-c", command);
    if (exitCode !== 0) throw new Error(`${host}: ${command}: ${output}`);
    return output;
  };
  const asService = (host: string, command: string) =>
    sh(host, `runuser -u forager -- forager --config /etc/forager/forager.toml ${command}`);
  const current = (host: string) => sh(host, "basename $(readlink /opt/forager/current)");
  const forager = (...args: string[]) =>
    sandbox.forager(args, { env: { PATH: `${bin}:${process.env["PATH"]}` } });

  beforeAll(async () => {
    containers = await openContainers(programs);
    sandbox = await createSandbox();
    const release = await containers.release();
    const archive = join(
      release,
      readdirSync(release).find((name) => name.endsWith(".tar.gz"))!,
    );
    old = join(sandbox.folder, "release-0");
    mkdirSync(old);
    execFileSync("tar", ["-xzf", archive, "-C", old, "--strip-components=1"]);
    const key = join(sandbox.folder, "key");
    execFileSync(sshd.keygen, ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const lines: string[] = [];
    for (const host of hosts) {
      const rights = ["--systemd=always", "--cap-add=SYS_ADMIN,NET_ADMIN", "--memory=1g"];
      const stop = ["--stop-signal", "SIGRTMIN+3", "--hostname", host];
      const volumes = ["-v", `${release}:/release:ro`, "--tmpfs", "/opt:size=1500m,exec,mode=755"];
      const init = [containers.baseImage, "/sbin/init"];
      await containers.podman("run", "-d", "--name", nameOf(host), ...stop, ...rights, ...volumes, ...init); // prettier-ignore
      await until(async () => {
        const { output } = await containers.exec(nameOf(host), "systemctl", "is-system-running");
        return /^running|^degraded/.test(output);
      }, `${host} has booted`);
      const publicKey = readFileSync(`${key}.pub`, "utf8").trim();
      await sh(host, `cd ~root && mkdir -p .ssh && echo '${publicKey}' > .ssh/authorized_keys && chmod -R go= .ssh`); // prettier-ignore
      await sh(host, "systemctl start ssh");
      await sh(host, `cat > /tmp/handlers.mjs <<'END'\n${handlers}END\nmkdir -p /etc/forager && cp /tmp/handlers.mjs /etc/forager/ && printf 'data = "/var/lib/forager"\\n[work]\\nhandlers = "/etc/forager/handlers.mjs"\\n' > /etc/forager/forager.toml`); // prettier-ignore
      await sh(host, "sh /release/install.sh");
      await sh(host, "chmod a+r /etc/forager/handlers.mjs");
      const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
      const address = await containers.podman("inspect", "-f", format, nameOf(host));
      lines.push(`Host ${host}`, `  HostName ${address}`, "  User root");
    }
    const common = [`  IdentityFile ${key}`, `  UserKnownHostsFile ${key}.known`, "  StrictHostKeyChecking accept-new"]; // prettier-ignore
    const config = join(sandbox.folder, "ssh-config");
    writeFileSync(config, `${[...lines, "Host *", ...common].join("\n")}\n`);
    bin = join(sandbox.folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec ${sshd.client} -F ${config} "$@"\n`);
    chmodSync(join(bin, "ssh"), 0o755);
    writeFileSync(join(sandbox.folder, "forager.toml"), `data = "data"\n[fleet]\nhosts = ["pi-1", "pi-2", "pi-3"]\n`); // prettier-ignore
  }, timeout);
  afterAll(async () => {
    for (const host of hosts) await containers.podman("rm", "-f", "-t", "0", nameOf(host));
    sandbox.remove();
  }, timeout);

  /** The same program as another release. */
  function variant(id: string, change: (folder: string) => void = () => {}): string {
    const folder = join(sandbox.folder, id);
    cpSync(old, folder, { recursive: true });
    const file = join(folder, "release.json");
    const release = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, `${JSON.stringify({ ...release, id }, null, 2)}\n`);
    change(folder);
    return folder;
  }

  const naps = 300;
  const addNaps = async (round: string) => {
    for (const host of hosts) {
      const lines = Array.from({ length: naps }, (_, index) => `{"kind":"nap","key":"${round}-${index}"}`); // prettier-ignore
      await sh(host, `cat > /tmp/naps.jsonl <<'END'\n${lines.join("\n")}\nEND\nchmod a+r /tmp/naps.jsonl`); // prettier-ignore
      await asService(host, "queue import /tmp/naps.jsonl");
    }
  };
  /** Every task was done, and none was given up. */
  const expectNaps = async (round: string) => {
    for (const host of hosts) {
      const done = () => sh(host, `sort -u /var/lib/forager/naps | grep -c '^${round}-'`);
      await until(async () => Number(await done()) === naps, `all tasks of ${host} are done`);
      const stats = JSON.parse(await asService(host, "queue stats --json")) as object;
      expect(JSON.stringify(stats)).toMatch(/"failed":0/);
    }
  };

  test(
    "B25: three hosts get a release while they work, and no task is lost",
    { timeout },
    async () => {
      await addNaps("good");
      const from = variant("9.0.0-good");
      const dry = await forager("deploy", "--from", from, "--dry-run");
      expect(dry, dry.stderr).toMatchObject({ exitCode: 0 });
      const done = await forager("deploy", "--from", from, "--healthy-for", "10s", "--batch", "2");
      expect(done, done.stderr + done.stdout).toMatchObject({ exitCode: 0 });
      expect(done.stderr).toMatch(/pi-1: uploaded 1 of \d+ files/);
      for (const host of hosts) {
        expect(await current(host)).toBe("9.0.0-good");
        const pid = await sh(host, "systemctl show -P MainPID forager");
        expect(await sh(host, `tr '\\0' ' ' < /proc/${pid}/cmdline`)).toContain(
          "/releases/9.0.0-good/",
        );
      }
      await expectNaps("good");
    },
  );

  test(
    "a release whose service does not start goes back, with its last log lines",
    { timeout },
    async () => {
      await addNaps("bad");
      const from = variant("9.1.0-bad", (folder) => {
        const program =
          "#!/bin/sh\n[ \"$1\" != up ] || { echo 'this release is broken' >&2; exit 1; }\n";
        const rest = readFileSync(join(folder, "bin/forager"), "utf8").replace("#!/bin/sh\n", "");
        writeFileSync(join(folder, "bin/forager"), program + rest);
      });
      const broken = await forager(
        "deploy",
        "--from",
        from,
        "--within",
        "30s",
        "--healthy-for",
        "10s",
      );
      expect(broken, broken.stderr).toMatchObject({ exitCode: 3 });
      expect(broken.stdout).toContain("this release is broken");
      for (const host of hosts) expect(await current(host)).toBe("9.0.0-good");
      expect(await sh("pi-1", "systemctl is-active forager")).toBe("active");
      await expectNaps("bad");
    },
  );

  test("a host that cannot be reached any more goes back by itself", { timeout }, async () => {
    const from = variant("9.2.0-cut");
    const isSwitched = async () => (await current("pi-1")) === "9.2.0-cut";
    const deploying = forager("deploy", "--from", from, "--within", "30s", "--healthy-for", "30s");
    await until(isSwitched, "pi-1 is switched");
    await sh("pi-1", "systemctl stop ssh"); // no new connection gets in
    expect(await deploying).toMatchObject({ exitCode: 3 });
    await until(async () => !(await isSwitched()), "pi-1 has gone back");
    expect(await sh("pi-1", "systemctl is-active forager")).toBe("active");
    expect(await sh("pi-1", "cat /opt/forager/deploy/log")).toContain("not confirmed in time");
    for (const host of ["pi-2", "pi-3"]) expect(await current(host)).toBe("9.0.0-good");
    await sh("pi-1", "systemctl start ssh && rm -f /opt/forager/deploy/lock");
  });

  test("a disk that fills up during the upload changes nothing", { timeout }, async () => {
    await addNaps("full");
    const from = variant("9.3.0-big", (folder) => {
      writeFileSync(join(folder, "docs/big"), Buffer.alloc(100_000_000, 1));
    });
    // The check before the upload sees enough, and then there are 20 MB.
    await sh("pi-2", "printf '#!/bin/sh\\necho header; echo /dev/x 1 1 9999999 1%% /\\n' > /usr/local/bin/df && chmod +x /usr/local/bin/df"); // prettier-ignore
    await sh("pi-2", "mount -o remount,size=$(($(du -sk /opt | cut -f 1) + 20000))k /opt");
    const full = await forager("deploy", "--from", from, "--healthy-for", "5s");
    expect(full, full.stdout).toMatchObject({ exitCode: 1 });
    expect(full.stderr).toMatch(/pi-2: the upload failed: tar: .*Is its disk full\?/);
    for (const host of hosts) expect(await current(host)).toBe("9.0.0-good");
    await sh("pi-2", "mount -o remount,size=1500m /opt && rm /usr/local/bin/df");
    const done = await forager("deploy", "--from", from, "--healthy-for", "5s");
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    await expectNaps("full");
  });

  test("a lock in use is respected, and a stale one is not", { timeout }, async () => {
    const from = variant("9.4.0-lock");
    const before = await Promise.all(hosts.map(current));
    const lock = (expires: string) => sh("pi-3", `printf 'token\\n%s\\nbob@laptop\\n' ${expires} > /opt/forager/deploy/lock`); // prettier-ignore
    await lock("$(($(date +%s) + 200))");
    const refused = await forager("deploy", "--from", from);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toMatch(/pi-3: locked by bob@laptop, \d+ s left/);
    expect(await Promise.all(hosts.map(current))).toEqual(before);
    await lock("$(($(date +%s) - 1))");
    const done = await forager("deploy", "--from", from, "--healthy-for", "5s", "--batch", "2");
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
  });

  test(
    "of two deployers at once one succeeds, and all hosts have its release",
    { timeout },
    async () => {
      await addNaps("two");
      const ids = ["9.5.0-anna", "9.5.0-bob"];
      const ended = await Promise.all(
        ids.map((id) => forager("deploy", "--from", variant(id), "--healthy-for", "5s", "--batch", "2")), // prettier-ignore
      );
      const codes = ended.map(({ exitCode }) => exitCode);
      const said = ended.map(({ stderr }) => stderr).join("\n");
      expect([codes.includes(0), codes.includes(1)], said).toEqual([true, true]);
      expect(ended[codes.indexOf(1)]!.stderr).toMatch(/pi-\d: (?:.* has the lock|locked by)/);
      for (const host of hosts) expect(await current(host)).toBe(ids[codes.indexOf(0)]);
      await expectNaps("two");
    },
  );

  /** Takes the network of a host away, or gives it back. */
  async function setNetwork(host: string, state: "up" | "down"): Promise<void> {
    const pid = await containers.podman("inspect", "-f", "{{.State.Pid}}", nameOf(host));
    execFileSync("nsenter", ["-t", pid, "-n", namespaces.ip, "link", "set", "eth0", state]);
  }

  const phases = ["preflight", "take_lock", "stage", "tar", "accept", "switch_to", "health", "confirm", "prune"]; // prettier-ignore
  test("a connection that is cut in any phase leaves a host that works", { timeout }, async () => {
    await addNaps("cut");
    const id = "9.6.0-cut";
    const before = await current("pi-1");
    const from = variant(id);
    const phaseOf = ({ script, args: [action] }: RemoteCommand) =>
      script.includes("exec tar ") ? "tar" : (action ?? "");
    const runBySsh = createRunBySsh({ program: join(bin, "ssh"), clock: systemClock });
    const deploy = async (run: RunRemotely) => {
      await using source = await openReleaseSource(from);
      return await deployFleet({
        hosts,
        run,
        releases: source.releases,
        folder: "/opt/forager",
        batch: 2,
        restartCommand: "systemctl restart forager.service",
        owner: "anna@desk",
        gate: { withinMs: 30_000, watchMs: 5_000, marginMs: 15_000 },
        isDryRun: false,
        clock: systemClock,
        random: systemRandom,
        signal: new AbortController().signal,
      });
    };
    for (const phase of phases) {
      const all = await Promise.all(hosts.map(current));
      const victim = hosts[all.findIndex((one) => one !== id)]!;
      let isCut = false;
      const report = await deploy(async (host, command) => {
        if (host !== victim || isCut || phaseOf(command) !== phase) return runBySsh(host, command);
        isCut = true;
        const running = runBySsh(host, command);
        await setNetwork(host, "down");
        return running;
      }).catch((error: unknown) => (error as Error).message);
      expect(isCut, `cut in ${phase}`).toBe(true);
      // While nobody can reach it: it goes back by itself, or has nothing to go back from.
      await until(async () => (await sh(victim, "ls /opt/forager/deploy | grep -c '^pending\\|^undoing' || true")) === "0", `${victim} has decided, cut in ${phase}`); // prettier-ignore
      const said = typeof report === "string" ? report : JSON.stringify(report);
      const stays = await current(victim);
      const outcome = typeof report === "string" ? "" : report.hosts.find(({ host }) => host === victim)!.outcome; // prettier-ignore
      if (outcome === "confirmed") expect(stays, said).toBe(id);
      else if (phase !== "confirm") expect(stays, said).toBe(before);
      expect(await sh(victim, "systemctl is-active forager"), said).toBe("active");
      const pid = await sh(victim, "systemctl show -P MainPID forager");
      expect(await sh(victim, `tr '\\0' ' ' < /proc/${pid}/cmdline`)).toContain(`/releases/${stays}/`); // prettier-ignore
      await setNetwork(victim, "up");
      // As if minutes had passed: the lock could not be released over the cut wire.
      await sh(victim, "! test -f /opt/forager/deploy/lock || sed -i 2s/.*/1/ /opt/forager/deploy/lock"); // prettier-ignore
    }
    const report = await deploy(runBySsh);
    expect(report.outcome, JSON.stringify(report)).toMatch(/^(?:done|nothing)$/);
    for (const host of hosts) expect(await current(host)).toBe(id);
    await expectNaps("cut");
  });
});
