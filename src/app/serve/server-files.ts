import { rm } from "node:fs/promises";
import * as z from "zod";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";

/** The file with the secret for calling the API of a data folder. */
export const apiTokenFile = (paths: Paths): string => paths.resolve("node", "api.token");

/** The address of the newest server of a data folder, for other commands. */
export const serverAddressFile = (paths: Paths): string => paths.resolve("node", "api.json");

export interface ServerAddress {
  /** The address for commands on this machine: `http://HOST:PORT`. */
  readonly origin: string;
  /** The address for people: `http://0.0.0.0:PORT` means every address of the machine. */
  readonly listens?: string | undefined;
  readonly pid: number;
}

const schema = z.object({
  format: z.literal(1),
  // The token is sent to this address, so it must be on this machine.
  origin: z.string().regex(/^http:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]):\d{1,5}$/),
  listens: z
    .string()
    .regex(/^https?:\/\/[\w.:[\]%-]{1,300}$/)
    .optional(),
  pid: z.int().min(1),
});

/** If several servers run for one data folder, the file names the one that started last. */
export async function writeServerAddress(paths: Paths, address: ServerAddress): Promise<void> {
  const text = `${JSON.stringify({ format: 1, ...address })}\n`;
  await writeFileAtomic(serverAddressFile(paths), text, { mode: 0o600 });
}

/** Undefined if the file does not exist, this user may not read it, or it is damaged. */
export async function readServerAddress(paths: Paths): Promise<ServerAddress | undefined> {
  try {
    const text = (await readRegularFile(serverAddressFile(paths))).toString();
    const { origin, listens, pid } = schema.parse(JSON.parse(text));
    return { origin, listens, pid };
  } catch {
    return undefined;
  }
}

/** Does nothing if another server has replaced the file. */
export async function removeServerAddress(paths: Paths, own: ServerAddress): Promise<void> {
  const found = await readServerAddress(paths);
  if (found?.pid !== own.pid || found.origin !== own.origin) return;
  await rm(serverAddressFile(paths), { force: true });
}
