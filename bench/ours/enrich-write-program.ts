/** One of the worker processes that enrich-write-side.ts starts: it writes what visits would find. */
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createPaths } from "../../src/config/index.ts";
import type { EnrichWriteProgram } from "./enrich-write-side.ts";

const { folder, companies } = JSON.parse(process.argv[2]!) as EnrichWriteProgram;
const node = await openNodeIn({
  kind: "worker",
  paths: createPaths(folder),
  log: silentLogger,
  user: "bench",
  version: "bench",
});
const { records } = node.api;
process.send!("ready");
await new Promise((resolve) => process.once("message", resolve));

const atOnce = 10;
const left = [...companies.entries()];
async function writeOn(): Promise<void> {
  for (let one = left.shift(); one; one = left.shift()) {
    const [index, { target, domain }] = one;
    const fields = {
      [`email/info@${domain}`]: { label: "office", url: `https://${domain}/contact` },
      [`phone/+1512${1_000_000 + index}`]: true,
      "social/facebook": `https://facebook.example/${index}`,
      "service/repair": true,
      "service/sale": true,
      "tech/wordpress": true,
      "keyword/floor": true,
      description: `What ${domain} says about itself.`,
      enrichedAt: "2026-01-01T00:00:00Z",
      visit: { at: "2026-01-01T00:00:00Z", outcome: "done" },
    };
    const changes = Object.entries(fields).map(([field, value]) => ({ target, field, value }));
    await records.write({ source: `site:https://${domain}`, changes });
  }
}
await Promise.all(Array.from({ length: atOnce }, writeOn));
process.send!({ rssBytes: process.memoryUsage().rss });
await new Promise((resolve) => process.once("message", resolve));
await node.close();
process.exit(0);
