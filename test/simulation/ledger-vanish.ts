import { parseSegmentKey } from "../../src/ledger/tiers/keys.ts";
import { chaosMs, type Machine } from "./ledger-machine.ts";
import { pick, type World } from "./world.ts";

const timesMax = 4;
const atOnceMax = 3;

/**
 * The store loses segments: any that some machine of the fleet has written. A machine with that id
 * has all of it on its disk, so all of it must be everywhere in the end. Not while two disks have
 * one id: they may differ in what they have not published, and nobody could tell whose it was.
 */
export function vanishAtTimes(world: World, machines: () => readonly Machine[]): void {
  const { objects, random, scheduler, note, tell } = world;
  const vanish = () => {
    const ids = machines().map(nodeOf);
    const nodes = new Set(ids.filter((id) => ids.indexOf(id) === ids.lastIndexOf(id)));
    for (let left = 1 + random.below(atOnceMax); left > 0; left--) {
      const segments = [...objects.keys()].filter((key) => {
        const segment = parseSegmentKey(key);
        return segment && nodes.has(segment.session.split("/")[0]!);
      });
      if (segments.length === 0) return;
      const key = pick(random, segments);
      // Not by the way of those who delete on purpose, which is judged.
      Map.prototype.delete.call(objects, key);
      note("vanished");
      tell(`${key} vanishes`);
    }
  };
  for (let times = 1 + random.below(timesMax); times > 0; times--) {
    scheduler.after(4_000 + random.next() * (chaosMs - 4_000), vanish);
  }
}

function nodeOf({ files }: Machine): string | undefined {
  const bytes = files.get("ledger/node.json");
  if (!bytes) return undefined;
  return (JSON.parse(Buffer.from(bytes).toString()) as { readonly node: string }).node;
}
