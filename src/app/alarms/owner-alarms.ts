import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createOnce } from "../../base/once.ts";
import { systemRandom } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import type { Paths, Secret, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import {
  createAlarmKeeper,
  createNtfyTarget,
  createSlackTarget,
  createWebhookTarget,
  openOutboxFile,
  type AlarmTarget,
} from "../../notify/index.ts";
import { isFleetBucketCharged } from "../bucket/fleet-bucket.ts";
import { nodeName } from "../node/node-name.ts";

export interface OwnerAlarmsOptions {
  /** The current settings. */
  readonly settings: () => Settings;
  readonly paths: Paths;
  readonly bucketAddress?: string | undefined;
  readonly node: NodeApi;
  /**
   * For a process that observes the queue without workers: its heartbeat does not contain the
   * alerts.
   */
  readonly alerts?: (() => readonly string[]) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const everyMsMax = 60_000;
const chargedEveryMs = 300_000;
const everyMsMin = 1_000;
/**
 * Delay for alarms that need no history: by then the first heartbeats of other nodes have arrived.
 */
const settleMs = 180_000;
/** These alarms need `alert.stallMs` of observation before they can be decided. */
const slowNames = new Set(["stall", "stuck", "yield_stall", "zombie"]);

/** Alarms about this node and its fleet, sent by the owner of the data folder. */
export function createOwnerAlarms(options: OwnerAlarmsOptions): Service {
  const { settings, paths, clock, log } = options;
  const over = new AbortController();
  const reader = createOnce(async () => {
    const { openAlarmReader } = await import("./alarm-reader.ts");
    return openAlarmReader({ ...options, signal: over.signal });
  });
  const poster = createOnce(async () => {
    const { createHttpPoster } = await import("../../crawl/adapters/http/http-poster.ts");
    // The operator has set the address, and a receiver in the local network is common.
    return createHttpPoster({ allowPrivateNetworks: "any", clock });
  });
  const post: TargetParts["poster"] = {
    post: async (request) => (await poster.get()).post(request),
  };
  const keeper = createAlarmKeeper({
    file: openOutboxFile(paths.resolve("node", "alarms.json")),
    read: async () => (await reader.get()).read(),
    targets: () => targetsOf(settings().alert, { poster: post, clock }),
    everyMs() {
      const { stallMs, scope } = settings().alert;
      const isCharged = isFleetBucketCharged({ ...options, settings: settings() });
      if (scope === "fleet" && isCharged) return chargedEveryMs;
      return Math.max(everyMsMin, Math.min(everyMsMax, stallMs / 4));
    },
    settleMs: ({ name }) => settleMs + (slowNames.has(name) ? settings().alert.stallMs : 0),
    node: nodeName(settings()),
    clock,
    random: systemRandom,
    log,
  });
  return {
    start: () => keeper.start(),
    async stop() {
      over.abort();
      await keeper.stop();
      await (await reader.opened())?.[Symbol.asyncDispose]();
      await (await poster.opened())?.[Symbol.asyncDispose]();
    },
  };
}

interface TargetParts {
  readonly poster: Parameters<typeof createSlackTarget>[0]["poster"];
  readonly clock: Clock;
}

function targetsOf(
  { webhook, secret, slack, ntfy, mail }: Settings["alert"],
  parts: TargetParts,
): readonly AlarmTarget[] {
  const url = (setting: Secret) => () => setting.reveal();
  return [
    ...(webhook
      ? [createWebhookTarget({ ...parts, url: url(webhook), secret: secret && url(secret) })]
      : []),
    ...(slack ? [createSlackTarget({ ...parts, url: url(slack) })] : []),
    ...(ntfy ? [createNtfyTarget({ ...parts, url: url(ntfy) })] : []),
    ...(mail ? [lateMailTarget(url(mail))] : []),
  ];
}

/** Loads the mail client when the first mail is sent. */
const lateMailTarget = (url: () => Promise<string>): AlarmTarget => ({
  name: "mail",
  async send(event, signal) {
    const { createMailTarget } = await import("../../notify/adapters/smtp/mail-target.ts");
    await createMailTarget({ url }).send(event, signal);
  },
});
