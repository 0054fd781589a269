// long: containers
// needs: podman
// inputs: src/** packaging/** scripts/** package.json package-lock.json tsconfig.json tsconfig.build.json
import { afterAll, beforeAll, expect, test } from "vitest";
import { openContainers, type Containers } from "../support/containers.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const timeout = 1_200_000;
const name = `forager-test-host-${process.pid}`;

needs(["podman"], ({ podman: programs }) => {
  let containers: Containers;
  beforeAll(async () => {
    containers = await openContainers(programs);
    const release = await containers.release();
    // SYS_ADMIN is for what the unit hides from the service.
    const rights = ["--systemd=always", "--cap-add=SYS_ADMIN,NET_ADMIN", "--memory=1g"];
    const stop = ["--stop-signal", "SIGRTMIN+3", "--hostname", "pi-1"];
    const volume = ["-v", `${release}:/release:ro`];
    const init = [containers.baseImage, "/sbin/init"];
    await containers.podman("run", "-d", "--name", name, ...stop, ...rights, ...volume, ...init);
    await until(async () => {
      const { output } = await containers.exec(name, "systemctl", "is-system-running");
      return /^running|^degraded/.test(output);
    }, "the machine has booted");
    // systemd does so on a machine, and not in a container. Credentials need it.
    await containers.podman("exec", name, "mount", "--make-rshared", "/");
  }, timeout);
  afterAll(async () => void (await containers.podman("rm", "-f", "-t", "0", name)), timeout);

  const sh = async (command: string) => {
    const { exitCode, output } = await containers.exec(name, "sh", "-c", command);
    if (exitCode !== 0) throw new Error(`${command}: ${output}`);
    return output;
  };
  const show = (property: string) => sh(`systemctl show -P ${property} forager`);

  test("B25: install.sh brings a service that is ready when its node is", { timeout }, async () => {
    expect(await sh("sh /release/install.sh")).toContain("installed Forager");
    expect(await sh("systemctl is-active forager")).toBe("active");
    expect(await show("Type")).toBe("notify");
    await until(
      async () => /1 of 1 worker process running/.test(await show("StatusText")),
      "the status names the workers",
    );
    const status = "runuser -u forager -- forager --config /etc/forager/forager.toml status";
    expect(await sh(status)).toContain("queue: 0 pending");
    // The service may write its data folder and nothing else.
    const pid = await show("MainPID");
    expect(await sh(`grep -c '^CapEff:.*0000000000000000' /proc/${pid}/status`)).toBe("1");
    expect(await sh("test -s /usr/share/bash-completion/completions/forager && echo yes")).toBe(
      "yes",
    );
  });

  test("installed again, it is the same, and the service runs", { timeout }, async () => {
    expect(await sh("sh /release/install.sh")).toContain("is here already");
    expect(await sh("systemctl is-active forager")).toBe("active");
  });

  test("a node that hangs is restarted by its watchdog", { timeout }, async () => {
    const dropIn = "/etc/systemd/system/forager.service.d";
    const lines = "[Service]\\nWatchdogSec=8\\nRestartSec=1\\nTimeoutStopSec=15\\n";
    await sh(`mkdir -p ${dropIn} && printf '${lines}' > ${dropIn}/quick.conf`);
    await sh("systemctl daemon-reload && systemctl restart forager");
    const pid = await show("MainPID");
    await sh(`kill -STOP ${pid}`);
    await until(async () => {
      const now = await show("MainPID");
      return now !== pid && now !== "0" && (await show("ActiveState")) === "active";
    }, "another process is active");
    expect(Number(await show("NRestarts"))).toBeGreaterThanOrEqual(1);
    expect(await sh("journalctl -u forager --no-pager")).toContain("Watchdog timeout");
  });

  test(
    "B27: a credential is read by the service alone, and shown nowhere",
    { timeout },
    async () => {
      await sh(
        "umask 077 && forager node key > /etc/forager/gossip.key && chown root:root /etc/forager/gossip.key",
      );
      const key = await sh("cat /etc/forager/gossip.key");
      const dropIn = "/etc/systemd/system/forager.service.d/credential.conf";
      await sh(`printf '[Service]\\nLoadCredential=gossip:/etc/forager/gossip.key\\n' > ${dropIn}`);
      await sh("cp /etc/forager/forager.toml /tmp/plain");
      await sh(
        `printf 'gossip.keys = { credential = "gossip" }\\n' | cat - /tmp/plain > /etc/forager/forager.toml`,
      );
      await sh("systemctl daemon-reload && systemctl restart forager");
      expect(await sh("systemctl is-active forager")).toBe("active");
      const status = "runuser -u forager -- forager --config /etc/forager/forager.toml status";
      await until(async () => (await sh(status)).includes("gossip: key from gossip.keys"), "gossip runs with the key"); // prettier-ignore
      const asForager = ["runuser", "-u", "forager", "--", "cat", "/etc/forager/gossip.key"];
      expect((await containers.exec(name, ...asForager)).exitCode).not.toBe(0);
      // Not in arguments or environment of its processes, its journal or its data folder.
      const own = `for one in /proc/[0-9]*; do [ "$(stat -c %U $one)" != forager ] ||`;
      expect(Number(await sh(`${own} echo $one; done | wc -l`))).toBeGreaterThan(1);
      expect(await sh(`${own} cat $one/cmdline $one/environ; done | tr '\\0' '\\n' | grep -cF '${key}' || true`)).toBe("0"); // prettier-ignore
      expect(await sh(`journalctl -u forager --no-pager | grep -cF '${key}' || true`)).toBe("0");
      expect(await sh(`grep -rlF '${key}' /var/lib/forager || true`)).toBe("");
      // Without it the service does not start, and says what is missing.
      await sh(`rm ${dropIn} && systemctl daemon-reload`);
      await containers.exec(name, "systemctl", "restart", "forager");
      await until(
        async () =>
          (await sh("journalctl -u forager --no-pager -n 50")).includes(
            "LoadCredential=gossip:FILE",
          ),
        "it says what the unit lacks",
      );
      await sh("cp /tmp/plain /etc/forager/forager.toml");
      await containers.exec(name, "systemctl", "reset-failed", "forager");
      await sh("systemctl restart forager");
    },
  );

  test("wrong settings end it for good, with the reason in the journal", { timeout }, async () => {
    await sh(
      "cp /etc/forager/forager.toml /tmp/before && echo 'gossip.keys = \"plain\"' >> /etc/forager/forager.toml",
    );
    await containers.exec(name, "systemctl", "restart", "forager");
    await until(async () => (await show("ActiveState")) === "failed", "failed");
    expect(await show("ExecMainStatus")).toBe("2");
    expect(await sh("journalctl -u forager --no-pager")).toContain(
      "contains a secret in plain text",
    );
    await sh("cp /tmp/before /etc/forager/forager.toml && systemctl restart forager");
    expect(await sh("systemctl is-active forager")).toBe("active");
  });

  test(
    "it stops in good order, and the uninstaller leaves data and settings",
    { timeout },
    async () => {
      await sh("systemctl stop forager");
      expect([await show("Result"), await show("ExecMainStatus")]).toEqual(["success", "0"]);
      await sh("systemctl start forager && sh /release/install.sh --uninstall");
      expect((await containers.exec(name, "systemctl", "cat", "forager")).exitCode).not.toBe(0);
      expect(await sh("ls /etc/forager /var/lib/forager")).toContain("forager.toml");
      expect(await sh("sh /release/install.sh --uninstall --purge && ls /opt")).toBe(
        "removed Forager with its data and settings",
      );
      expect((await containers.exec(name, "id", "forager")).exitCode).not.toBe(0);
    },
  );
});
