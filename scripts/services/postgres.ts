import { debian15Binaries, embeddedBinaries, unprivilegedOwner } from "./postgres-binaries.ts";
import { createPostgresServer, type PostgresBinaries } from "./postgres-server.ts";
import type { Owner } from "./daemon.ts";
import type { Service, ServiceContext } from "./service.ts";

/** The newest PostgreSQL. */
export const startPostgres = (context: ServiceContext): Promise<Service> =>
  start(context, "FORAGER_TEST_POSTGRES_URL", (owner) =>
    embeddedBinaries({ folder: context.folder, owner }),
  );

/** The oldest that is promised. */
export const startPostgres15 = (context: ServiceContext): Promise<Service> =>
  start(context, "FORAGER_TEST_POSTGRES15_URL", () => debian15Binaries(context.print));

async function start(
  { folder, signal }: ServiceContext,
  variable: string,
  findBinaries: (owner: Owner | undefined) => Promise<PostgresBinaries>,
): Promise<Service> {
  const owner = await unprivilegedOwner();
  const binaries = await findBinaries(owner);
  const server = await createPostgresServer({ folder, binaries, owner, signal });
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { env: { [variable]: server.url }, pids: [server.pid()], stop: () => server.stop() };
}
