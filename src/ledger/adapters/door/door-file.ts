import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import { writeFileAtomic } from "../../../base/atomic-file.ts";

/** Where the process that holds a ledger can be reached, and what it takes to be let in. */
export interface DoorPlace {
  readonly port: number;
  readonly token: Uint8Array;
  /** For messages; nothing is ever sent to it. */
  readonly pid: number;
}

const tokenBytes = 32;
const schema = z.object({
  format: z.literal(1),
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[0-9a-f]{64}$/u),
  pid: z.int(),
});

export const makeToken = (random: { bytes(count: number): Uint8Array }) => random.bytes(tokenBytes);

/** Readable for this user alone: whoever can read it may write to the ledger. */
export async function writeDoorFile(path: string, { port, token, pid }: DoorPlace): Promise<void> {
  const content = { format: 1, port, token: Buffer.from(token).toString("hex"), pid };
  await writeFileAtomic(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** Undefined where there is none, or one that a power cut or a worn card made useless. */
export async function readDoorFile(path: string): Promise<DoorPlace | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { port, token, pid } = schema.parse(JSON.parse(text));
    return { port, token: Buffer.from(token, "hex"), pid };
  } catch {
    return undefined;
  }
}

/** Only by the one who holds the lock: no other file can be there then. */
export const removeDoorFile = (path: string): Promise<void> => rm(path, { force: true });
