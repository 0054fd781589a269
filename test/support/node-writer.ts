/**
 * One of several processes that write to one data folder, from the built program: so many fields,
 * each a commit of its own, several at a time. Prints `open`, the number of each field once its
 * write was acknowledged, and `done`; then it stays until its stdin ends.
 * Arguments: folder of the built program, data folder, name, kind of process, count of fields.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist = "", folder = "", name = "", kind = "", count = "0"] = process.argv.slice(2);
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Module;

const { loadNode } = await load<typeof import("../../src/app/index.ts")>("app/index.js");
const config = await load<typeof import("../../src/config/index.ts")>("config/index.js");
const { silentLogger } =
  await load<typeof import("../../src/base/log/logger.ts")>("base/log/logger.js");
const { readVersion } = await load<typeof import("../../src/base/version.ts")>("base/version.js");

const { openNodeIn } = await loadNode();
const gossip = { on: "no", keys: undefined, cluster: "test", host: "127.0.0.1", port: 0 } as const;
// Not `await using`: Node 22, which only strips types, does not know it.
const node = await openNodeIn({
  kind: kind === "service" ? "service" : "command",
  paths: config.createPaths(folder),
  log: silentLogger,
  user: name,
  version: readVersion(),
  services: {
    gossip: { ...gossip, peers: "", mdns: "no" },
    ledger: { hub: "never", archive: "keep" },
    keyring: () => undefined,
    bucket: undefined,
    config: () => "test",
    label: "test",
  },
});
process.stdout.write("open\n");

const source = `site:https://${name}.test`;
const atOnce = 8;
let next = 0;
async function writeOn(): Promise<void> {
  for (let index = next++; index < Number(count); index = next++) {
    const target = `company/${name}-${index % 50}`;
    const changes = [{ target, field: `f/${index}`, value: index }];
    await node.api.ledger.write({ source, changes });
    process.stdout.write(`${index}\n`);
  }
}
try {
  await Promise.all(Array.from({ length: atOnce }, writeOn));
  process.stdout.write("done\n");
  await new Promise((resolve) => process.stdin.resume().once("end", resolve));
} finally {
  await node[Symbol.asyncDispose]();
}
