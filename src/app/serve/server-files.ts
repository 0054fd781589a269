import { rm } from "node:fs/promises";
import * as z from "zod";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";

/** The secret that a program needs to call the API of a data folder. */
export const apiTokenFile = (paths: Paths): string => paths.resolve("node", "api.token");

/** Where the newest server of a data folder listens, so that other commands find it. */
export const serverAddressFile = (paths: Paths): string => paths.resolve("node", "api.json");

export interface ServerAddress {
  /** Where commands of this machine reach it: `http://HOST:PORT`. */
  readonly origin: string;
  /** Where it listens for people: `http://0.0.0.0:PORT` is every address of the machine. */
  readonly listens?: string | undefined;
  readonly pid: number;
}

const schema = z.object({
  format: z.literal(1),
  // The token is sent there, so it must not lead to another machine.
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

/** Undefined: there is no such file, this user may not read it, or it is damaged. */
export async function readServerAddress(paths: Paths): Promise<ServerAddress | undefined> {
  try {
    const text = (await readRegularFile(serverAddressFile(paths))).toString();
    const { origin, listens, pid } = schema.parse(JSON.parse(text));
    return { origin, listens, pid };
  } catch {
    return undefined;
  }
}

/** Leaves the file alone if another server has replaced it. */
export async function removeServerAddress(paths: Paths, own: ServerAddress): Promise<void> {
  const found = await readServerAddress(paths);
  if (found?.pid !== own.pid || found.origin !== own.origin) return;
  await rm(serverAddressFile(paths), { force: true });
}
