import { resolve } from "node:path";
import { createFileAtomic } from "../../../base/files/atomic-file.ts";
import { systemRandom } from "../../../base/random.ts";
import { usageError } from "../../../base/usage-error.ts";
import { makeKey } from "../../../gossip/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";

export const nodeKey: Command = {
  needs: "nothing",
  examples: [
    {
      line: "forager node key --to gossip.key",
      summary:
        'readable by this user only; then set on every node: gossip.keys = { file = "gossip.key" }',
    },
  ],
  details: [
    "All nodes of a fleet need the same key. To change it without interruption: add the new one after\n" +
      "the old one on every node, then move it before the old one, then remove the old one.",
  ],

  options: [
    {
      flag: "--to",
      value: "file",
      summary: "create this file, readable for you alone; a file that exists is never replaced",
    },
  ],

  async run({ out, flags, cwd }) {
    const key = makeKey(systemRandom);
    const to = textFlag(flags, "to");
    if (to === undefined) return out.result({ key }, key);
    const file = resolve(cwd, to);
    const isCreated = await createFileAtomic(file, `${key}\n`, { mode: 0o600 });
    if (!isCreated) {
      throw usageError(`${file} exists already: move it away, or write to another file`);
    }
    out.result({ file }, `wrote a new key to ${file}, readable by you only`);
  },
};
