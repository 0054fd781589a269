import { encodeDatagram } from "../../src/ledger/datagram/datagram-record.ts";
import { headerRecord } from "../../src/ledger/file-header.ts";
import { readDamagedFile } from "../../src/ledger/journal/journal-file.ts";
import { decodeManifest } from "../../src/ledger/tiers/manifest.ts";
import type { Machine } from "./ledger-machine.ts";
import { pick, type World } from "./world.ts";

const damaged = 0.8;
/** How often the state is gone too: then all journals are read at the next start. */
const stateLost = 0.7;

/**
 * A machine that is down loses a journal file, the end of one, or a byte in one, and of all that is
 * lost the bucket has a copy. All of it must be there again in the end.
 */
export function damageJournal({ random, note, tell }: World, machine: Machine): void {
  const { name, files, state } = machine;
  if (random.next() >= damaged) return;
  const choices = [...files.keys()].flatMap((file) => {
    const { safe, isAllSafe } = safeIn(files, file);
    return [
      ...(safe.length > 0 ? [{ file, safe, how: "flipped" as const }] : []),
      ...(isAllSafe ? [{ file, safe, how: pick(random, ["deleted", "cut"] as const) }] : []),
    ];
  });
  if (choices.length === 0) return;
  const { file, safe, how } = pick(random, choices);
  const bytes = files.get(file)!.slice();
  if (how === "deleted") files.delete(file);
  if (how === "cut") files.set(file, bytes.slice(0, random.below(bytes.length)));
  if (how === "flipped") {
    const { from, to } = pick(random, safe);
    bytes[from + random.below(to - from)]! ^= 1;
    files.set(file, bytes);
  }
  if (random.next() < stateLost) state.lose();
  note(`journal ${how}`);
  tell(`${file} of ${name} is ${how}`);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where records are that the bucket has too: of other nodes, published, or in the checkpoint. */
function safeIn(files: ReadonlyMap<string, Uint8Array>, file: string) {
  const none = { safe: [] as Range[], isAllSafe: false };
  const identity = files.get("ledger/node.json");
  if (!identity || !/^wal\/.*\/\d{8}\.usv$/.test(file)) return none;
  const { node, published, moving } = JSON.parse(Buffer.from(identity).toString()) as {
    readonly node: string;
    readonly published: Readonly<Record<string, number>>;
    readonly moving?: unknown;
  };
  if (moving !== undefined) return none;
  const base = files.get("ledger/base.json");
  const covered = base ? decodeManifest(base, "base").vector : new Map<string, number>();
  const safe: Range[] = [];
  let from = Buffer.byteLength(headerRecord("journal"));
  const datagrams = readDamagedFile(files.get(file)!);
  for (const datagram of datagrams) {
    const to = from + Buffer.byteLength(encodeDatagram(datagram));
    const key = `${datagram.node}/${datagram.session}`;
    const known = Math.max(published[key] ?? 0, covered.get(key) ?? 0);
    // Not the end of the record: without it the next record is lost too.
    if (datagram.node !== node || datagram.number <= known) safe.push({ from, to: to - 2 });
    from = to;
  }
  return { safe, isAllSafe: safe.length === datagrams.length };
}
