import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Poster, PostRequest } from "../../crawl/index.ts";
import { webhookBody, webhookHeaders } from "../standard-webhook.ts";
import { runbookCommand } from "../runbook.ts";
import { alarmBody, alarmTitle, type AlarmTarget } from "./alarm.ts";

export interface HttpTargetOptions {
  /** A secret, because these services put tokens into the URL. */
  readonly url: () => Promise<string>;
  readonly poster: Pick<Poster, "post">;
}

/** Sends messages according to the Standard Webhooks specification. */
export function createWebhookTarget(
  options: HttpTargetOptions & {
    /** If absent, messages are not signed. */
    readonly secret?: (() => Promise<string>) | undefined;
    readonly clock: Clock;
  },
): AlarmTarget {
  const { url, poster, secret, clock } = options;
  return {
    name: "webhook",
    async send({ id, what, name, subject, text, node, atMs, sinceMs }, signal) {
      const since = new Date(sinceMs).toISOString();
      const data = { name, subject, text, node, since, runbook: runbookCommand(name) };
      const timestamp = new Date(atMs).toISOString();
      const body = webhookBody({ id, type: `alarm.${what}`, timestamp, data });
      const secrets = secret ? [await secret()] : [];
      const headers = webhookHeaders({ id, body }, { nowMs: clock.nowMs(), secrets });
      await post(poster, { url: await url(), headers, body, signal });
    },
  };
}

/** Slack, Mattermost and other services that accept `{"text": …}`. */
export function createSlackTarget({ url, poster }: HttpTargetOptions): AlarmTarget {
  return {
    name: "slack",
    async send(event, signal) {
      const body = JSON.stringify({
        text: escapeSlack(`*${alarmTitle(event)}*\n${alarmBody(event)}`),
      });
      const headers = { "content-type": "application/json" };
      await post(poster, { url: await url(), headers, body, signal });
    },
  };
}

/** https://ntfy.sh, or another ntfy server. */
export function createNtfyTarget({ url, poster }: HttpTargetOptions): AlarmTarget {
  return {
    name: "ntfy",
    async send(event, signal) {
      const isBegin = event.what === "began";
      const headers = {
        "content-type": "text/plain; charset=utf-8",
        title: encodeHeader(alarmTitle(event)),
        priority: isBegin ? "4" : "3",
        tags: isBegin ? "rotating_light" : "white_check_mark",
      };
      await post(poster, { url: await url(), headers, body: alarmBody(event), signal });
    },
  };
}

async function post(poster: Pick<Poster, "post">, request: PostRequest): Promise<void> {
  const { status } = await poster.post(request);
  if (status >= 200 && status < 300) return;
  throw new AppError("unavailable", "alarm_refused", `the receiver answered ${status}`);
}

/** Names and texts are not trusted: they must not create links or mentions. */
const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * RFC 2047 encoding, which ntfy understands: a header may contain only ASCII, and no line breaks.
 */
const encodeHeader = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
