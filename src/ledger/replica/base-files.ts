import { AppError } from "../../base/app-error.ts";
import { parseStamp } from "../clock/stamp.ts";
import { decodeManifest, type CheckpointManifest } from "../tiers/manifest.ts";
import { digestOf } from "../fold/part-file.ts";
import type { LedgerDisk } from "../journal/disk.ts";
import { noBase, type Base } from "./replica.ts";

/** The checkpoint that this node uses: its manifest, and the parts beside it. */
const manifestFile = "ledger/base.json";
const partsFolder = "ledger/base";

/**
 * This advice is safe without a bucket too: the ledger refuses writes until the checkpoint is back.
 */
const fetchAgain =
  `remove ${manifestFile} and run \`forager ledger sync\`, which fetches the checkpoint from the ` +
  `bucket again. Without a bucket, restore the folder ledger/ from a backup`;

export async function readBase(disk: LedgerDisk): Promise<Base> {
  const bytes = await disk.read(manifestFile);
  if (!bytes) return noBase;
  try {
    return baseOf(disk, decodeManifest(bytes, manifestFile));
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "corrupt") throw error;
    const message = `${manifestFile} is damaged: ${fetchAgain}`;
    throw new AppError("corrupt", "ledger_base", message, { cause: error });
  }
}

export function baseOf(disk: LedgerDisk, manifest: CheckpointManifest): Base {
  return {
    number: manifest.number,
    vector: manifest.vector,
    heldBack: manifest.heldBack,
    dropped: manifest.dropped,
    latest: parseStamp(manifest.latest),
    partNames: manifest.parts,
    async readPart(index) {
      const name = manifest.parts[index];
      return name === undefined ? undefined : readPartFile(disk, name);
    },
  };
}

/** The digest in a part's name proves its content. */
export async function readPartFile(disk: LedgerDisk, name: string): Promise<string> {
  const bytes = await disk.read(`${partsFolder}/${name}`);
  if (bytes && isPart(name, bytes)) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }
  const message = `${partsFolder}/${name} is ${bytes ? "damaged" : "missing"}: ${fetchAgain}`;
  throw new AppError("corrupt", "ledger_part", message);
}

export const isPart = (name: string, content: string | Uint8Array): boolean =>
  name.startsWith(`${digestOf(content)}-`);

export async function hasPartFile(disk: LedgerDisk, name: string): Promise<boolean> {
  const bytes = await disk.read(`${partsFolder}/${name}`);
  return bytes !== undefined && isPart(name, bytes);
}

export const writePartFile = (disk: LedgerDisk, name: string, bytes: Uint8Array): Promise<void> =>
  disk.replace(`${partsFolder}/${name}`, bytes);

/** From this call on the node uses the new checkpoint, also after a crash. */
export const switchBase = (disk: LedgerDisk, body: Uint8Array): Promise<void> =>
  disk.replace(manifestFile, body);

/** Removes the parts of older checkpoints. Call it when nothing uses them any more. */
export async function removeOldParts(
  disk: LedgerDisk,
  manifest: CheckpointManifest,
): Promise<void> {
  const used = new Set(manifest.parts.filter((name) => name !== undefined));
  for (const file of await disk.list(partsFolder)) {
    if (!used.has(file.slice(partsFolder.length + 1))) await disk.remove(file);
  }
}
