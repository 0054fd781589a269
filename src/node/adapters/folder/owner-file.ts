import { rm } from "node:fs/promises";
import * as z from "zod";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { readRegularFile } from "../../../base/files/regular-file.ts";

/** `node/owner.json`: how to reach the process that owns the data folder. */
export interface OwnerAddress {
  readonly port: number;
  /** Both sides of a connection prove that they know it; it is never sent. */
  readonly token: Uint8Array;
  /** For messages; nothing is ever sent to it. */
  readonly pid: number;
}

export const tokenBytes = 32;
const schema = z.object({
  format: z.literal(1),
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[0-9a-f]{64}$/u),
  pid: z.int(),
});

/** Mode 0600: a process that can read this file may write to the data folder. */
export async function writeOwnerFile(path: string, address: OwnerAddress): Promise<void> {
  const { port, token, pid } = address;
  const content = { format: 1, port, token: Buffer.from(token).toString("hex"), pid };
  await writeFileAtomic(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** Undefined: there is no such file, this user may not read it, or it is damaged. */
export async function readOwnerFile(path: string): Promise<OwnerAddress | undefined> {
  const text = await readRegularFile(path).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { port, token, pid } = schema.parse(JSON.parse(text.toString()));
    return { port, token: Buffer.from(token, "hex"), pid };
  } catch {
    return undefined;
  }
}

/** Only while holding the lock: then the file is this process's, or that of a dead one. */
export const removeOwnerFile = (path: string): Promise<void> => rm(path, { force: true });
