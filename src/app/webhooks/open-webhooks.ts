import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { createOnce } from "../../base/once.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { systemRandom } from "../../base/random.ts";
import { createLazyBucket, createRetryingBucket } from "../../bucket/index.ts";
import {
  processSources,
  readSecretReference,
  type Paths,
  type Settings,
} from "../../config/index.ts";
import {
  createEventPublisher,
  listDeliveries,
  openEndpoints,
  postEvent,
  replayDelivery,
  shownUrl,
  type DeliveriesQuery,
  type Delivery,
  type DeliveryServices,
  type Endpoint,
  type Endpoints,
  type EventPublisher,
  type NewEndpoint,
  type SecretReference,
} from "../../notify/index.ts";
import type { Queue } from "../../queue/index.ts";
import { locateBucket } from "../bucket/bucket-address.ts";
import { openMeteredBucket } from "../bucket/open-bucket.ts";

export interface WebhooksOptions {
  readonly settings: Pick<Settings, "bucket" | "webhook">;
  readonly paths: Paths;
  readonly queue: () => Promise<Pick<Queue, "add" | "browse" | "ended" | "now" | "show">>;
  readonly clock: Clock;
}

/**
 * An endpoint for lists: without its secret, and without its path, which often contains a token.
 */
export interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** Empty: all events. */
  readonly events: readonly string[];
  readonly createdAt: string;
  readonly disabled: { readonly at: string; readonly reason: string } | null;
  /** The number of secrets that sign at the moment: two during a rotation. */
  readonly secrets: number;
}

/** `secret` is shown only this once. Null: it is stored where the endpoint says. */
export type EndpointSecret = EndpointView & { readonly secret: string | null };

/** The endpoints of the fleet, and deliveries to them. */
export interface Webhooks extends AsyncDisposable {
  list(): Promise<readonly EndpointView[]>;
  add(endpoint: NewEndpoint): Promise<EndpointSecret>;
  remove(id: string): Promise<EndpointView>;
  rotate(
    id: string,
    options: { readonly overlapMs: number; readonly secret?: NewEndpoint["secret"] },
  ): Promise<EndpointSecret>;
  enable(id: string): Promise<EndpointView>;
  /** Sends one message immediately, without the queue. */
  test(id: string, signal: AbortSignal): Promise<{ readonly status: number; readonly isTaken: boolean }>; // prettier-ignore
  deliveries(query: DeliveriesQuery): Promise<readonly Delivery[]>;
  replay(id: number): Promise<number>;
  /** For workers that deliver, and for publishers of events. */
  readonly endpoints: Endpoints;
  readonly publisher: EventPublisher;
  readonly services: DeliveryServices;
}

/** Nothing is opened before it is used. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { settings, paths, clock } = options;
  const random = systemRandom;
  const closing = new AbortController();
  const opened = createLazyBucket(async () => {
    const address = await locateBucket(settings.bucket, paths);
    if (address === undefined) makeFolder(paths.root(), { mode: 0o700 });
    const bucketFor = await openMeteredBucket(address ?? `dir:${paths.resolve("bucket")}`);
    return bucketFor("fleet");
  });
  const bucket = createRetryingBucket({ bucket: opened, clock, random, signal: closing.signal });
  const endpoints = openEndpoints({ bucket, clock, random });
  const ownFolder = paths.resolve("bucket");
  // Opening a folder bucket creates the folder; asking if there are endpoints must not do that.
  const hasNone = () => settings.bucket.url === undefined && !existsSync(ownFolder);
  const list = async () => (hasNone() ? [] : endpoints.list());
  const allowPrivateNetworks = settings.webhook.allowPrivateNetworks.split(",").filter((one) => one !== ""); // prettier-ignore
  const opening = createOnce(async () => {
    const { createHttpPoster } = await import("../../crawl/adapters/http/http-poster.ts");
    return createHttpPoster({ allowPrivateNetworks, clock });
  });
  const poster: DeliveryServices["webhooks"]["poster"] = {
    post: async (request) => (await opening.get()).post(request),
  };
  const webhooks = { endpoints: { ...endpoints, list }, poster, reveal, clock, random };
  const publisher = createEventPublisher({
    endpoints: { list },
    queue: { add: async (...given) => (await options.queue()).add(...given) },
  });
  const view = (endpoint: Endpoint) => viewOf(endpoint, clock.nowMs());
  return {
    endpoints: webhooks.endpoints,
    publisher,
    services: { webhooks },
    list: async () => (await list()).map(view),
    async add(endpoint) {
      const added = await endpoints.add({ ...endpoint, secret: absolute(endpoint.secret) });
      return { ...view(added), secret: newSecretOf(added) };
    },
    remove: async (id) => view(await endpoints.remove(id)),
    async rotate(id, { overlapMs, secret }) {
      const rotated = await endpoints.rotate(id, { overlapMs, secret: absolute(secret) });
      return { ...view(rotated), secret: newSecretOf(rotated) };
    },
    enable: async (id) => view(await endpoints.enable(id)),
    async test(id, signal) {
      const endpoint = await endpoints.get(id);
      const event = {
        id: `msg_test_${createId(random)}`,
        type: "test",
        timestamp: new Date(clock.nowMs()).toISOString(),
        data: { endpoint: id },
      };
      const { status } = await postEvent(endpoint, event, webhooks, signal);
      return { status, isTaken: status >= 200 && status < 300 };
    },
    deliveries: async (query) => listDeliveries(await options.queue(), query),
    replay: async (id) => replayDelivery({ queue: await options.queue(), endpoints }, id),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await (await opening.opened())?.[Symbol.asyncDispose]();
      await opened.close();
    },
  };
}

/** Other processes and nodes have another working directory. */
const absolute = (secret: NewEndpoint["secret"]): NewEndpoint["secret"] =>
  secret && "file" in secret ? { file: resolve(secret.file) } : secret;

async function reveal(reference: SecretReference, name: string): Promise<string> {
  if ("text" in reference) return reference.text;
  try {
    return await readSecretReference(reference, name, processSources());
  } catch (cause) {
    // Another node may be able to read it, so the delivery is retried.
    throw new AppError("unavailable", "secret_unreadable", (cause as Error).message, { cause });
  }
}

const newSecretOf = ({ secrets: [newest] }: Endpoint): string | null =>
  newest && "text" in newest.secret ? newest.secret.text : null;

function viewOf(
  { id, url, events, createdAtMs, disabled, secrets }: Endpoint,
  nowMs: number,
): EndpointView {
  // prettier-ignore
  return {
    id,
    url: shownUrl(url),
    events,
    createdAt: new Date(createdAtMs).toISOString(),
    disabled: disabled && { at: new Date(disabled.atMs).toISOString(), reason: disabled.reason },
    secrets: secrets.filter(({ untilMs }) => untilMs === null || untilMs > nowMs).length,
  };
}
