import * as z from "zod";
import { redactText } from "../base/redact.ts";
import { escapeControls } from "../base/terminal-text.ts";

export const auditResults = ["ok", "denied", "failed"] as const;

export const auditEntrySchema = z.object({
  at: z.string(),
  /** A user of the server or of the machine; empty: the caller was not signed in. */
  who: z.string(),
  /**
   * How they came. A user: `session`, `token`. The person who runs the server: `link`, `folder` (the
   * folder's token), `loopback` or `command`. `request`, `nobody`: they were not signed in.
   */
  by: z.string(),
  /** The network address; null: at this machine. */
  from: z.string().nullable(),
  /** The name of a route, or a command. */
  what: z.string(),
  /** What it was done to: a path, or the arguments of a command. */
  target: z.string(),
  /** What was asked for: the body or query of a request, or the flags of a command. */
  asked: z.string().nullable().default(null),
  /** The fields that changed, as they were; null: nothing was there, or it is not known. */
  before: z.string().nullable(),
  /** The same fields afterwards, or what was answered; null: nothing is there any more. */
  after: z.string().nullable(),
  result: z.enum(auditResults),
  /** Why not, or what was answered. */
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

/** One line without its end. */
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
  // JSON escapes line ends and other C0 characters; this escapes the rest that a viewer may act on.
  return escapeControls(JSON.stringify(entry));
}

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text);

const isSecretName = (name: string) =>
  /pass|pwd|secret|token|credential|cookie|authoriz|(?:api|access|private)[-_]?key|^(?:key|code|url|link)$/i.test(
    name,
  );

/** What a task carries may be anything, such as a secret or personal data. The queue has it. */
const isPayload = (name: string, part: unknown) => name === "payload" && part !== null;

/** Numbers are counts, such as how many secrets a webhook has. */
const canBeSecret = (value: unknown) => typeof value === "string" || (typeof value === "object" && value !== null); // prettier-ignore

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value, (name, part: unknown) =>
    (isSecretName(name) && canBeSecret(part)) || isPayload(name, part) ? "***" : part,
  );
  return text === undefined ? null : cut(redactText(text.slice(0, 2 * valueMax)), valueMax);
}
