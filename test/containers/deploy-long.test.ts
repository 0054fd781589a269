// long: containers
// needs: podman sshd
// inputs: src/** packaging/** scripts/** package.json package-lock.json tsconfig.json tsconfig.build.json
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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

needs(["podman", "sshd"], ({ podman: programs, sshd }) => {
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
      const volumes = ["-v", `${release}:/release:ro`, "--tmpfs", "/opt:size=700m,exec,mode=755"];
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
    const from = variant("9.3.0-big", (folder) => {
      writeFileSync(join(folder, "docs/big"), Buffer.alloc(100_000_000, 1));
    });
    // Enough for the check before, and then not.
    await sh("pi-2", "mkdir /opt/x && cat > /usr/local/bin/df <<'END'\n#!/bin/sh\necho header; echo /dev/x 1 1 9999999 1% /\nEND\nchmod +x /usr/local/bin/df"); // prettier-ignore
    await sh("pi-2", "dd if=/dev/zero of=/opt/x/fill bs=1M 2>/dev/null; rm -f /opt/x/none; true");
    const full = await forager("deploy", "--from", from, "--healthy-for", "5s");
    expect(full.exitCode).toBe(1);
    expect(full.stderr).toMatch(/pi-2: .*(?:No space left|cannot create|disk full)/i);
    for (const host of hosts) expect(await current(host)).toBe("9.0.0-good");
    await sh("pi-2", "rm -rf /opt/x /usr/local/bin/df");
    const done = await forager("deploy", "--from", from, "--healthy-for", "5s");
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
  });
});
