import { appendFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { translateFileError } from "../../../base/atomic-file.ts";
import { createId } from "../../../base/ids.ts";
import type { Random } from "../../../base/random.ts";
import { eachOwnRecord } from "../../../usv/index.ts";
import { datagramOf } from "../../datagram/datagram-record.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import { partCount } from "../../fold/part-state.ts";
import type { Spill } from "../../fold/spill.ts";

/** How much may wait in memory. */
const heldBytesMax = 32 * 2 ** 20;

export interface FileSpillOptions {
  /** What is in it may be deleted at any time, but not while a fold runs. */
  readonly folder: string;
  readonly random: Random;
}

/** Spill in files, one for each part: a fold of many gigabytes needs the memory of one part. */
export function createFileSpill({ folder, random }: FileSpillOptions): Spill {
  const own = join(folder, `spill-${createId(random)}`);
  const held: string[][] = Array.from({ length: partCount }, () => []);
  const touched = new Set<number>();
  let heldBytes = 0;
  const fileOf = (part: number) => join(own, `${part}.usv`);

  const write = async () => {
    try {
      await mkdir(own, { recursive: true });
      for (const [part, lines] of held.entries()) {
        if (lines.length === 0) continue;
        await appendFile(fileOf(part), lines.join(""));
        lines.length = 0;
      }
    } catch (error) {
      throw translateFileError(error, own);
    }
    heldBytes = 0;
  };

  return {
    bytesMax: 8 * 2 ** 30,
    add(part, _datagram, raw) {
      touched.add(part);
      held[part]!.push(raw);
      heldBytes += raw.length;
    },
    flush: async () => (heldBytes > heldBytesMax ? write() : undefined),
    async read(part) {
      if (heldBytes > 0) await write();
      const found: Datagram[] = [];
      if (!touched.has(part)) return found;
      const text = await readFile(fileOf(part), "utf8");
      eachOwnRecord(text, (units, raw) => void found.push(datagramOf(units, raw)));
      return found;
    },
    touched: () => [...touched].sort((a, b) => a - b),
    [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true }),
  };
}
