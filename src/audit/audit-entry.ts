import * as z from "zod";
import { redactText } from "../base/log/redact.ts";
import { escapeControls } from "../base/text/terminal-text.ts";

export const auditResults = ["ok", "denied", "failed"] as const;

export const auditEntrySchema = z.object({
  at: z.string(),
  /** A user of the server or of the machine; empty if the caller was not signed in. */
  who: z.string(),
  /**
   * How the caller was identified. For a user: `session`, `token`. For the person who runs the
   * server: `link`, `folder` (the token of the data folder), `loopback` or `command`. `request`,
   * `nobody`: not signed in.
   */
  by: z.string(),
  /** The network address; null for this machine. */
  from: z.string().nullable(),
  /** The name of a route, or a command. */
  what: z.string(),
  /** What the action was applied to: a path, or the arguments of a command. */
  target: z.string(),
  /** The input: the body or query of a request, or the flags of a command. */
  asked: z.string().nullable().default(null),
  /** The old values of the fields that changed; null if there were none or they are unknown. */
  before: z.string().nullable(),
  /** The new values of the same fields, or the response; null if nothing is left. */
  after: z.string().nullable(),
  result: z.enum(auditResults),
  /** The reason for a refusal, or the response. */
  detail: z.string(),
  requestId: z.string().nullable(),
});
export type AuditEntry = z.output<typeof auditEntrySchema>;

export interface NewAuditEntry extends Pick<
  AuditEntry,
  "who" | "by" | "what" | "target" | "result"
> {
  readonly from?: string | undefined;
  /** JSON values, stored without secrets and cut to a bounded length. */
  readonly asked?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
}

const textMax = 300;
const valueMax = 2_000;

/** One line, without the line break at its end. */
export function toAuditLine(given: NewAuditEntry & { readonly at: string }): string {
  const entry: AuditEntry = {
    at: given.at,
    who: cut(given.who, textMax),
    by: given.by,
    from: given.from ?? null,
    what: cut(given.what, textMax),
    target: cut(redactText(given.target), textMax),
    asked: valueText(given.asked),
    before: valueText(given.before),
    after: valueText(given.after),
    result: given.result,
    detail: cut(redactText(given.detail ?? ""), textMax),
    requestId: given.requestId ?? null,
  };
  // JSON escapes line breaks and other C0 characters; this escapes the others that a terminal may
  // act on.
  return escapeControls(JSON.stringify(entry));
}

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text);

const isSecretName = (name: string) =>
  /pass|pwd|secret|token|credential|cookie|authoriz|(?:api|access|private)[-_]?key|^(?:key|code|url|link)$/i.test(
    name,
  );

/** The payload of a task can contain secrets or personal data. It stays in the queue. */
const isPayload = (name: string, part: unknown) => name === "payload" && part !== null;

/** A number is a count, such as the number of secrets of a webhook. */
const canBeSecret = (value: unknown) => typeof value === "string" || (typeof value === "object" && value !== null); // prettier-ignore

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value, (name, part: unknown) =>
    (isSecretName(name) && canBeSecret(part)) || isPayload(name, part) ? "***" : part,
  );
  return text === undefined ? null : cut(redactText(text.slice(0, 2 * valueMax)), valueMax);
}
