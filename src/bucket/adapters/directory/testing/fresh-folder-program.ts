import { systemClock } from "../../../../base/clock.ts";
import { systemRandom } from "../../../../base/random.ts";
import { openDirectoryBucket } from "../directory-bucket.ts";

/** One of many processes that open a bucket in a new folder at the same time and write to it. */
export interface FreshFolderRound {
  readonly root: string;
  readonly writes: number;
}

process.on("message", ({ root, writes }: FreshFolderRound) => {
  void use(root, writes).then(
    () => process.send?.("done"),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.send?.("ready");

/** Like the first steps of a node: the probe writes, overwrites and deletes its own objects. */
async function use(root: string, writes: number): Promise<void> {
  await using bucket = openDirectoryBucket({ root, clock: systemClock, random: systemRandom });
  const key = (at: number) => `probe/${process.pid}/list/${at % 5}`;
  for (let at = 0; at < writes; at++) {
    await bucket.put(key(at), Buffer.from(String(at)));
    if (at % 5 === 4) await bucket.delete(key(at - 1));
  }
  await bucket.put(`nodes/${process.pid}`, Buffer.from("here"));
}
