import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram } from "./command.ts";
import { startDaemon, waitUntilReady } from "./daemon.ts";
import { findFreePort } from "./free-port.ts";
import { embeddedBinaries, unprivilegedOwner } from "./postgres-binaries.ts";
import { accepts, createPostgresServer, postgresPassword } from "./postgres-server.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  `pgbouncer is not installed. On Debian: sudo apt-get install pgbouncer. Elsewhere: set ` +
  `FORAGER_TEST_PGBOUNCER_URL to one in transaction mode, and _DIRECT_URL to the server behind it.`;

/** A pooler that gives a session to whoever has a transaction, with a PostgreSQL of its own. */
export async function startPgbouncer(context: ServiceContext): Promise<Service> {
  const { folder, signal, print } = context;
  const command = await findPgbouncer(print);
  const owner = await unprivilegedOwner();
  const binaries = await embeddedBinaries({ folder, owner });
  const server = await createPostgresServer({ folder, binaries, owner, signal });
  const port = await findFreePort();
  const [users, settings] = [join(folder, "users.txt"), join(folder, "pgbouncer.ini")];
  await writeFile(users, `"postgres" "${postgresPassword}"\n`);
  await writeFile(settings, configuration({ users, port, serverPort: server.port }));
  for (const file of [users, settings]) {
    await chmod(file, 0o600);
    if (owner) await chown(file, owner.uid, owner.gid);
  }
  await server.start();
  const daemon = await startDaemon({
    name: "pgbouncer",
    command,
    args: ["--quiet", settings],
    logFile: join(folder, "pgbouncer.log"),
    owner,
    stopSignal: "SIGTERM", // at once, where SIGINT waits for clients
  });
  const stop = async () => {
    await daemon.stop();
    await server.stop();
  };
  try {
    await waitUntilReady({ daemon, timeoutMs: 20_000, signal, isReady: () => accepts(port) });
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `postgres://postgres:${postgresPassword}@127.0.0.1:${port}/postgres`;
  return {
    env: { FORAGER_TEST_PGBOUNCER_URL: url, FORAGER_TEST_PGBOUNCER_DIRECT_URL: server.url },
    pids: [daemon.pid, server.pid()],
    stop,
  };
}

async function findPgbouncer(print: (line: string) => void): Promise<string> {
  const found = await findProgram(["pgbouncer"]);
  if (found) return found;
  await installPackages({ packages: ["pgbouncer"], note: "a few seconds, 1 MB", advice, print });
  const installed = await findProgram(["pgbouncer"]);
  if (!installed) throw new AppError("unavailable", "service_missing", advice);
  return installed;
}

interface Configuration {
  readonly users: string;
  readonly port: number;
  readonly serverPort: number;
}

const configuration = ({ users, port, serverPort }: Configuration) => `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
log_connections = 0
log_disconnections = 0
`;
