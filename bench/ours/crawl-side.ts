/** A crawl through worker, SQLite queue and HTTP fetcher: each page is a task behind its host's gate. */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { Parser } from "htmlparser2";
import { openQueue } from "../../src/app/index.ts";
import { createHttpFetcher } from "../../src/crawl/adapters/http/http-fetcher.ts";
import {
  canonicalUrl,
  isSameSite,
  priorityOf,
  taskPriority,
  textOf,
  userAgentOf,
  worthOf,
} from "../../src/crawl/index.ts";
import type { TaskInput } from "../../src/queue/index.ts";
import { createWorker, defineHandler, done, fail } from "../../src/worker/index.ts";
import type { Side } from "../frame/side.ts";
import { startCpu, type CrawlInput } from "../sites/crawl-input.ts";
import { earlyGaps, hostName, startSites } from "../sites/start-sites.ts";
import { addressOf, benchDurability } from "./open-side.ts";

interface Page {
  readonly url: string;
  readonly priority: number;
}
const schema = { parse: (value: unknown) => value as Page };

export const crawl: Side<CrawlInput> = async (input, context) => {
  const sites = await startSites(input.shape);
  const queue = await openQueue(addressOf({ address: "sqlite:queue.db" }, context), {
    durability: benchDurability,
  });
  const userAgent = userAgentOf({ token: "forager", version: "0.1", contact: "bench@example.org" });
  const fetcher = createHttpFetcher({
    userAgent,
    allowPrivateNetworks: ["127.0.0.1"],
    resolve: async () => ["127.0.0.1"],
    connectionsPerOriginMax: input.delayMs > 0 ? 1 : input.concurrency,
  });
  const isPolite = input.delayMs > 0;
  const gates = Array.from({ length: input.hosts }, (_, at) => hostName(at));
  for (const gate of gates) {
    await queue.setGate(gate, { delayMs: input.delayMs, limit: isPolite ? 1 : input.concurrency });
  }
  const task = (url: string, gate: string, priority: number, parent: number): TaskInput => ({
    kind: "page",
    job: "crawl",
    gate,
    key: url,
    payload: { url, priority: parent },
    priority,
  });
  await queue.openJob("crawl");
  await queue.add(gates.map((gate) => task(`http://${gate}:${sites.port}/p/0`, gate, 1_000, 1)));

  let handled = 0;
  const page = defineHandler("page", schema, async ({ task: leased, signal, markStart }) => {
    const { url, priority } = leased.payload;
    const found = await fetcher.fetch({
      url,
      signal,
      onSent: markStart,
      onAnswered: markStart,
    });
    if (found.kind !== "found") return fail(`${url}: ${found.kind}`);
    const add = linksOf(textOf(found).text, found.url).map((link) => {
      const worth = worthOf({ url: link });
      const own = priorityOf({ where: "body" }, priority);
      return task(link, leased.gate, taskPriority(own, worth), own);
    });
    handled += 1;
    return done(undefined, { add });
  });
  const { concurrency } = input;
  const worker = createWorker({ queue, name: "bench", handlers: [page], concurrency });
  const pages = input.hosts * input.shape.pages;
  return {
    async run() {
      const cpu = startCpu();
      await worker.start();
      // Draining would also wait for gates that open after the last page, with nothing behind them.
      while (handled < pages || (await queue.stats()).states.done < pages) await wait(5);
      const cpuS = cpu();
      const log = await sites.log();
      return { pages, cpuS, early: earlyGaps(log, input.delayMs), gapMsMin: log.gapsMs[0]! };
    },
    async check() {
      const log = await sites.log();
      sites.stop();
      await worker.stop();
      await fetcher[Symbol.asyncDispose]();
      strictEqual((await queue.stats()).states.done, pages, "pages done");
      strictEqual(log.requests, pages, "pages served");
      strictEqual(log.repeated, 0, "pages served twice");
    },
  };
};

function linksOf(html: string, base: string): readonly string[] {
  const links = new Set<string>();
  const parser = new Parser({
    onopentag(name, { href }) {
      const url = name === "a" && href ? canonicalUrl(href, base) : undefined;
      if (url && isSameSite(url, base)) links.add(url);
    },
  });
  parser.end(html);
  return [...links];
}
