import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installPackages } from "./apt.ts";
import { cephConfig } from "./ceph-config.ts";
import { findProgram, runCommand } from "./command.ts";
import { startDaemon, waitUntilReady } from "./daemon.ts";
import type { Daemon } from "./daemon.ts";
import { findFreePort } from "./free-port.ts";
import type { Service, ServiceContext } from "./service.ts";

const packages = ["ceph-mon", "ceph-osd", "radosgw", "ceph-common"];
const accessKey = "test";
const secretKey = "testsecret";
const region = "us-east-1";

const advice =
  `an S3 server is not installed. On Debian or Ubuntu: ` +
  `sudo apt-get install --no-install-recommends ${packages.join(" ")}. Elsewhere: set ` +
  `FORAGER_TEST_S3_ENDPOINT, _ACCESS_KEY, _SECRET_KEY and _REGION to a server of your own.`;

/**
 * An S3 server: the gateway of a one-node Ceph cluster that keeps its objects in memory. Three
 * daemons (monitor, storage, gateway), all in the foreground, about three seconds to start.
 */
export async function startS3(context: ServiceContext): Promise<Service> {
  const { folder, print, signal } = context;
  await installIfMissing(print);
  const ceph = await prepareCluster(folder);
  let daemons: Daemon[] = [];
  const stop = async () => {
    for (const daemon of daemons.toReversed()) await daemon.stop();
  };
  const start = async (name: string, args: readonly string[]) => {
    const logFile = join(folder, `${name}.log`);
    const command = await program(name);
    // Nothing in memory is worth an orderly end, so a short wait is enough.
    const daemon = await startDaemon({
      name,
      command,
      args: [...ceph.conf, "-f", ...args],
      logFile,
      stopMs: 2_000,
    });
    daemons.push(daemon);
    return daemon;
  };
  const startGateway = async () => {
    const gateway = await start("radosgw", ["-n", "client.rgw"]);
    await waitUntilReady({
      daemon: gateway,
      timeoutMs: 60_000,
      signal,
      isReady: async () =>
        (await fetch(ceph.endpoint, { signal: AbortSignal.timeout(5_000) })).status === 200,
    });
    return gateway;
  };
  let gateway: Daemon;
  try {
    const monitor = await start("ceph-mon", ["-i", "a"]);
    await waitUntilReady({
      daemon: monitor,
      timeoutMs: 60_000,
      signal,
      isReady: async () => (await ceph.admin("mon", "stat")).includes("a"),
    });
    const storageId = randomUUID();
    await ceph.admin("osd", "new", storageId, "0");
    await ceph.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", storageId);
    const storage = await start("ceph-osd", ["-i", "0"]);
    await waitUntilReady({
      daemon: storage,
      timeoutMs: 60_000,
      signal,
      isReady: async () => (await ceph.admin("osd", "stat")).includes("1 up"),
    });
    const keys = [`--access-key=${accessKey}`, `--secret=${secretKey}`];
    await ceph.run("radosgw-admin", "user", "create", "--uid=test", "--display-name=test", ...keys);
    gateway = await startGateway();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    env: {
      FORAGER_TEST_S3_ENDPOINT: ceph.endpoint,
      FORAGER_TEST_S3_ACCESS_KEY: accessKey,
      FORAGER_TEST_S3_SECRET_KEY: secretKey,
      FORAGER_TEST_S3_REGION: region,
      FORAGER_TEST_S3_ADMIN: ceph.conf[1]!,
    },
    pids: daemons.map((daemon) => daemon.pid),
    async restart() {
      await gateway.stop();
      daemons = daemons.filter((daemon) => daemon !== gateway);
      gateway = await startGateway();
    },
    stop,
  };
}

async function installIfMissing(print: (line: string) => void): Promise<void> {
  for (const name of ["ceph-mon", "ceph-osd", "radosgw", "ceph"])
    if (!(await findProgram([name])))
      return await installPackages({ packages, note: "about 40 s, 290 MB", advice, print });
}

interface Cluster {
  readonly endpoint: string;
  /** Arguments that name its configuration. */
  readonly conf: readonly string[];
  run(name: string, ...args: readonly string[]): Promise<string>;
  admin(...args: readonly string[]): Promise<string>;
}

/** Writes the configuration and the keys of a cluster, and its empty monitor. */
async function prepareCluster(folder: string): Promise<Cluster> {
  const [gatewayPort, monitorPort, fsid] = [
    await findFreePort(),
    await findFreePort(),
    randomUUID(),
  ];
  for (const name of ["mon", "osd", "rgw"]) await mkdir(join(folder, name));
  const conf = ["-c", join(folder, "ceph.conf")];
  await writeFile(conf[1]!, cephConfig({ folder, fsid, gatewayPort, monitorPort }));
  const run = async (name: string, ...args: readonly string[]) =>
    await runCommand(await program(name), [...conf, ...args], { timeoutMs: 60_000 });

  const keyring = join(folder, "keyring");
  await writeFile(keyring, "");
  const addKey = (name: string, caps: Readonly<Record<string, string>>) =>
    run(
      "ceph-authtool",
      keyring,
      "--gen-key",
      "-n",
      name,
      ...Object.entries(caps).flatMap(([daemon, cap]) => ["--cap", daemon, cap]),
    );
  await addKey("mon.", { mon: "allow *" });
  await addKey("client.admin", { mon: "allow *", osd: "allow *", mgr: "allow *" });
  await addKey("osd.0", { mon: "allow profile osd", osd: "allow *", mgr: "allow profile osd" });
  await addKey("client.rgw", { mon: "allow rw", osd: "allow rwx" });
  const monitorMap = join(folder, "monmap");
  const address = `v2:127.0.0.1:${monitorPort}`;
  await run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", address, monitorMap);
  await run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monitorMap, "--keyring", keyring);
  return {
    endpoint: `http://127.0.0.1:${gatewayPort}`,
    conf,
    run,
    admin: (...args) => run("ceph", "--connect-timeout", "10", ...args),
  };
}

/** A program of the packages; its bare name if it is gone, so that the error can say which. */
async function program(name: string): Promise<string> {
  return (await findProgram([name])) ?? name;
}
