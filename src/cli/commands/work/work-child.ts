import { hostname } from "node:os";
import { loadHandlerServices, openBuiltInWork, openOrMakeQueue } from "../../../app/index.ts";
import type { Clock } from "../../../base/clock.ts";
import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import { systemRandom } from "../../../base/random.ts";
import { readVersion } from "../../../base/version.ts";
import { userName } from "../../../config/index.ts";
import { registerConnectionMetrics, registerProcessMetrics } from "../../../observe/index.ts";
import {
  createCrashRecord,
  createProcessLoad,
  createWorker,
  type FromChild,
  type Post,
  type ToChild,
  type Worker,
} from "../../../worker/index.ts";
import type { SettingsCommand } from "../../command.ts";
import { crashRecordFd, hasCrashFile } from "./crash-file.ts";
import { chooseHandlers, joinHandlers, loadHandlers } from "./load-handlers.ts";
import { handlersFile, workOptions } from "./work-options.ts";

/** The line between a worker process and its supervisor. */
export interface Orders {
  send(message: FromChild): void;
  /** What was said before is heard too. */
  listen(listener: (message: ToChild) => void): void;
}

const beatMs = 1_000;
const dayMs = 86_400_000;

/** `forager work` as its worker processes run it. */
export const createWorkChild = (orders: Orders): SettingsCommand => ({
  needs: "settings",
  keepsLog: true,
  options: workOptions,
  examples: [{ line: "forager work", summary: "a process of it" }],

  async run(context) {
    const { settings, flags, cwd, clock } = context;
    const inbox = createInbox(orders);
    const file = handlersFile(settings, flags, cwd);
    const loaded = file === undefined ? [] : await loadHandlers(file);
    const post = await inbox.post;
    await using queue = await openOrMakeQueue(context);
    const name = `${hostname()}.${post.name}.${process.pid}`;
    const metrics = createMetrics();
    await using builtIn = await openBuiltInWork({
      paths: context.paths,
      clock,
      log: context.log.child({ worker: name }),
      queue,
      crawl: settings.crawl,
      metrics,
      user: userName(),
      version: readVersion(),
    });
    const { createHandlerServices } = await loadHandlerServices();
    await using own = createHandlerServices({
      settings,
      paths: context.paths,
      queue,
      clock,
      random: systemRandom,
    });
    const all = joinHandlers(builtIn.handlers, loaded);
    const handlers = chooseHandlers(all, post, file);
    registerProcessMetrics(metrics);
    registerConnectionMetrics(metrics, () => queue.connections());
    const worker = createWorker({
      queue,
      name,
      handlers,
      services: { ...builtIn.services, ...own.services },
      concurrency: post.concurrency,
      leaseMs: settings.queue.leaseMs,
      graceMs: settings.work.graceMs,
      drain: flags["drain"] === true,
      keep: {
        doneMs: settings.queue.keepDoneDays * dayMs,
        failedMs: settings.queue.keepFailedDays * dayMs,
        keysMs: settings.queue.keepKeysDays * dayMs,
      },
      ...(hasCrashFile() && {
        crashRecord: (info) => createCrashRecord(crashRecordFd, info),
      }),
      load: createProcessLoad,
      clock,
      logger: context.log.child({ worker: name }),
      metrics,
    });
    inbox.follow(worker);
    const beat = startBeat({ orders, worker, metrics, clock });
    try {
      await worker.start();
      await worker.ended;
      if (!inbox.isStopping()) orders.send({ kind: "drained" });
    } finally {
      beat.stop();
      await worker.stop();
      // The last word: what was counted since the last beat.
      orders.send({ kind: "beat", view: worker.look(), metrics: metrics.snapshot() });
    }
  },
});

/** Orders in their order: the post first, then what happens to the worker. */
function createInbox(orders: Orders) {
  let begin: (post: Post) => void = () => {};
  const post = new Promise<Post>((resolve) => (begin = resolve));
  let stops = 0;
  let worker: Worker | undefined;
  const stop = () => {
    if (stops === 1) void worker?.stop();
    else if (stops > 1) void worker?.abort();
  };
  orders.listen((message) => {
    switch (message.kind) {
      case "begin":
        return begin(message.post);
      case "configure":
        return worker?.setConcurrency(message.concurrency);
      case "stop":
        stops += 1;
        // Nothing has begun yet, and perhaps never will: there is nothing to put in order.
        if (!worker) process.exit(0);
        return stop();
    }
  });
  return {
    post,
    isStopping: () => stops > 0,
    follow(begun: Worker) {
      worker = begun;
    },
  };
}

interface BeatOptions {
  readonly orders: Orders;
  readonly worker: Worker;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** A sign of life that a blocked event loop cannot give. */
function startBeat({ orders, worker, metrics, clock }: BeatOptions) {
  let timer = clock.setTimer(0, beat);
  function beat(): void {
    orders.send({ kind: "beat", view: worker.look(), metrics: metrics.snapshot() });
    timer = clock.setTimer(beatMs, beat, { background: true });
  }
  return { stop: () => timer.cancel() };
}
