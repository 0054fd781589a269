import { strictEqual } from "node:assert";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createPaths } from "../../src/config/index.ts";
import type { Side } from "../frame/side.ts";

export interface EnrichWriteInput {
  readonly companies: number;
  readonly processes: number;
}

export interface EnrichWriteProgram {
  readonly folder: string;
  /** Its share of the companies. */
  readonly companies: readonly { readonly target: string; readonly domain: string }[];
}

const program = fileURLToPath(new URL("./enrich-write-program.ts", import.meta.url));

/** Worker processes write what visits found; the owner of the folder stores and renders it. */
export const enrichWrites: Side<EnrichWriteInput> = async ({ companies, processes }, context) => {
  const folder = join(context.folder, "node");
  const paths = createPaths(folder);
  const given = { paths, log: silentLogger, user: "bench", version: "bench" };
  const owner = await openNodeIn({ ...given, kind: "command" });
  const { records } = owner.api;
  const domains = Array.from({ length: companies }, (_, at) => `c-${at}.example`);
  const created = await records.createAll(
    domains.map((domain, at) => ({
      source: "place:osm/bench",
      fields: { name: `Company ${at}`, domain },
    })),
  );
  const all = domains.map((domain, at) => ({ target: created[at]!.target, domain }));
  const share = Math.ceil(companies / processes);
  const children = Array.from({ length: processes }, (_, at) => {
    const own = all.slice(at * share, (at + 1) * share);
    const work: EnrichWriteProgram = { folder, companies: own };
    return fork(program, [JSON.stringify(work)], { execArgv: process.execArgv });
  });
  const askAll = (send?: string) =>
    Promise.all(children.map((child) => (send && child.send(send), nextMessage(child))));
  await askAll();
  return {
    async run() {
      const startedAtMs = performance.now();
      const answers = (await askAll("go")) as readonly { readonly rssBytes: number }[];
      const seconds = (performance.now() - startedAtMs) / 1_000;
      const rssBytesMax = Math.max(...answers.map(({ rssBytes }) => rssBytes));
      return { enrichWritesPerS: companies / seconds, workerRssMb: rssBytesMax / 2 ** 20 };
    },
    async check() {
      const ended = children.map((child) => (child.send("end"), once(child, "exit")));
      await Promise.all(ended);
      const query = { kind: "company", filters: { hasEmail: true } } as const;
      strictEqual(await records.count(query, companies + 1), companies);
      await owner.close();
    },
  };
};

const nextMessage = async (child: ChildProcess): Promise<unknown> =>
  ((await once(child, "message")) as unknown[])[0];
