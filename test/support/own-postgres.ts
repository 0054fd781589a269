import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { embeddedBinaries, unprivilegedOwner } from "../../scripts/services/postgres-binaries.ts";
import {
  createPostgresServer,
  type PostgresServer,
} from "../../scripts/services/postgres-server.ts";
import { createServiceFolder, removeServiceFolder } from "../../scripts/services/service-folder.ts";
import type { Owner } from "../../scripts/services/daemon.ts";

export interface OwnPostgres extends PostgresServer, AsyncDisposable {
  readonly folder: string;
  /** Whoever runs it; undefined: we do. */
  readonly owner: Owner | undefined;
  /** A further server, on the data folder that `fill` makes. Not started yet. */
  createAnother(fill: (data: string) => Promise<void>): Promise<PostgresServer>;
}

export interface OwnPostgresOptions {
  readonly settings?: readonly string[];
  /** Called before the first start, for what needs files: certificates, pg_hba.conf. */
  readonly prepare?: (server: PostgresServer, owner: Owner | undefined) => Promise<void>;
  /** Called with the empty folder, which it may mount something on. */
  readonly prepareFolder?: (folder: string) => Promise<void>;
}

/** A server for one test alone, which may do to it what it likes. It ends with the test. */
export async function startOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const { settings = [], prepare, prepareFolder } = options;
  const folder = await createServiceFolder("postgres");
  const own = join(folder, "own");
  await chmod(folder, 0o711); // the server may be another user's
  await mkdir(own, { mode: 0o711 });
  await prepareFolder?.(own);
  const owner = await unprivilegedOwner();
  const binaries = await embeddedBinaries({ folder, owner });
  const common = { binaries, owner, settings, endsWithStarter: true };
  const servers: PostgresServer[] = [];
  const create = async (at: string, hasData: boolean) => {
    const server = await createPostgresServer({ ...common, folder: at, hasData });
    servers.push(server);
    return server;
  };
  const server = await create(own, false);
  await prepare?.(server, owner);
  await server.start();
  return {
    ...server,
    folder,
    owner,
    async createAnother(fill) {
      const at = join(folder, `own-${servers.length}`);
      await mkdir(at, { mode: 0o711 });
      await fill(join(at, "data"));
      return create(at, true);
    },
    async [Symbol.asyncDispose]() {
      for (const one of servers) await one.kill();
      await removeServiceFolder(folder);
    },
  };
}
