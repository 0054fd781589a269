import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import { parseUrl } from "../base/text/parse-url.ts";
import type { Random } from "../base/random.ts";
import { createSharedObject, type Bucket } from "../bucket/index.ts";
import type { EventType } from "./event-names.ts";
import { createWebhookSecret, secretProblem } from "./standard-webhook.ts";

/** Either a secret stored in the fleet's bucket, or a reference that each sending node resolves. */
const secretSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ env: z.string() }),
  z.strictObject({ file: z.string() }),
]);
export type SecretReference = z.output<typeof secretSchema>;

const endpointSchema = z.strictObject({
  id: z.string(),
  url: z.string(),
  /** If empty: all events. */
  events: z.array(z.string()).readonly(),
  /** Newest first. A secret with `untilMs` still signs until then. */
  secrets: z
    .array(z.strictObject({ secret: secretSchema, untilMs: z.number().nullable() }))
    .min(1)
    .max(3)
    .readonly(),
  createdAtMs: z.number(),
  /** Why nothing is sent to this endpoint; null if it is enabled. */
  disabled: z.strictObject({ atMs: z.number(), reason: z.string() }).nullable(),
});
export type Endpoint = z.output<typeof endpointSchema>;

const endpointsSchema = z.strictObject({ endpoints: z.array(endpointSchema).readonly() });

export const endpointsKey = "webhooks/endpoints.json";
/** All endpoints are in one object, which is read for every event. */
const endpointsMax = 50;
const urlCharsMax = 1_000;

export interface EndpointsOptions {
  /** Shared by the fleet. */
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
}

export interface NewEndpoint {
  readonly url: string;
  /** If empty: all events. */
  readonly events: readonly EventType[];
  /** If absent, a secret is generated and kept in the bucket. */
  readonly secret?: Exclude<SecretReference, { readonly text: string }> | undefined;
}

/** The destinations of events: one object that all nodes of the fleet share. */
export interface Endpoints {
  list(): Promise<readonly Endpoint[]>;
  /** Throws `no_endpoint`. */
  get(id: string): Promise<Endpoint>;
  add(endpoint: NewEndpoint): Promise<Endpoint>;
  remove(id: string): Promise<Endpoint>;
  /** Adds a new secret; for `overlapMs` more, messages are also signed with the earlier one. */
  rotate(
    id: string,
    options: { readonly overlapMs: number; readonly secret?: NewEndpoint["secret"] },
  ): Promise<Endpoint>;
  disable(id: string, reason: string): Promise<void>;
  enable(id: string): Promise<Endpoint>;
}

export function openEndpoints({ bucket, clock, random }: EndpointsOptions): Endpoints {
  const object = createSharedObject<unknown>({
    bucket,
    key: endpointsKey,
    session: createId(random),
    clock,
    random,
    isSticky: true,
  });
  const parse = (raw: unknown): readonly Endpoint[] =>
    raw === undefined ? [] : endpointsSchema.parse(raw).endpoints;

  const change = async (edit: (before: readonly Endpoint[]) => readonly Endpoint[]) => {
    await object.change((raw) => {
      const before = parse(raw);
      const after = edit(before);
      return after === before && raw !== undefined ? raw : { endpoints: after };
    });
  };
  const changeOne = async (id: string, edit: (endpoint: Endpoint) => Endpoint) => {
    let changed: Endpoint | undefined;
    await change((before) => {
      changed = edit(find(before, id));
      return before.map((one) => (one.id === id ? changed! : one));
    });
    return changed!;
  };
  const secretOf = (given: NewEndpoint["secret"]): SecretReference =>
    given ?? { text: createWebhookSecret(random) };

  return {
    list: async () => parse(await object.read()),
    get: async (id) => find(parse(await object.read()), id),
    async add({ url, events, secret }) {
      checkUrl(url);
      const made: Endpoint = {
        id: `ep_${createId(random, 12)}`,
        url,
        events,
        secrets: [{ secret: secretOf(secret), untilMs: null }],
        createdAtMs: clock.nowMs(),
        disabled: null,
      };
      await change((before) => {
        if (before.some((one) => one.url === url)) {
          throw invalid("endpoint_exists", "an endpoint with this URL already exists");
        }
        if (before.length >= endpointsMax) {
          throw invalid("too_many_endpoints", `there are ${endpointsMax} endpoints already, the maximum: remove one`); // prettier-ignore
        }
        return [...before, made];
      });
      return made;
    },
    async remove(id) {
      let removed: Endpoint | undefined;
      await change((before) => {
        removed = find(before, id);
        return before.filter((one) => one.id !== id);
      });
      return removed!;
    },
    rotate(id, { overlapMs, secret }) {
      const next = { secret: secretOf(secret), untilMs: null };
      const untilMs = clock.nowMs() + overlapMs;
      return changeOne(id, (one) => {
        const [last] = one.secrets;
        return { ...one, secrets: overlapMs > 0 && last ? [next, { ...last, untilMs }] : [next] };
      });
    },
    async disable(id, reason) {
      const disabled = { atMs: clock.nowMs(), reason: reason.slice(0, 200) };
      // The endpoint may have been removed, or disabled by another node, in the meantime.
      await change((before) =>
        before.some((one) => one.id === id && one.disabled === null)
          ? before.map((one) => (one.id === id ? { ...one, disabled } : one))
          : before,
      );
    },
    enable: (id) => changeOne(id, (one) => ({ ...one, disabled: null })),
  };
}

/** The secrets that sign now, newest first. `reveal` resolves a reference. */
export async function validSecrets(
  { id, secrets }: Endpoint,
  nowMs: number,
  reveal: (reference: SecretReference, name: string) => Promise<string>,
): Promise<readonly string[]> {
  const valid = secrets.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  const texts = await Promise.all(valid.map(({ secret }) => reveal(secret, `webhook ${id}`)));
  for (const text of texts) {
    const problem = secretProblem(text);
    if (problem !== undefined) throw invalid("bad_secret", `the secret of ${id}: ${problem}`);
  }
  return texts;
}

/** The URL as lists show it, without its path, which is often a token. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  return url.pathname === "/" && url.search === "" ? url.origin : `${url.origin}/…`;
}

function checkUrl(text: string): void {
  const url = text.length > urlCharsMax ? undefined : parseUrl(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw invalid("bad_url", "the URL must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      "bad_url",
      "the URL must not contain a user or password: receivers verify the signature instead",
    );
  }
}

function find(endpoints: readonly Endpoint[], id: string): Endpoint {
  const found = endpoints.find((one) => one.id === id);
  if (found) return found;
  throw invalid("no_endpoint", `there is no webhook ${id}: \`forager webhook list\` shows them`);
}

const invalid = (code: string, message: string) => new AppError("invalid", code, message);
