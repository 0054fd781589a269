import * as z from "zod";
import { AppError, type ErrorKind } from "../base/app-error.ts";
import type { NodeApi } from "./node-api.ts";

/**
 * What to do with a call whose answer was lost. It is sent to the next owner:
 * - `read`: unchanged. This includes calls that change something, if repeating them is harmless;
 * - `write`: with `after`, so that nothing is written twice;
 * - `stream`: unchanged. It reports progress until its signal ends it, and has no result.
 */
type CallKind = "read" | "write" | "stream";

/** Every method of the node's interface; the compiler checks that none is missing. */
export const calls = {
  ledger: {
    status: "read",
    write: "write",
    read: "read",
    readAll: "read",
    log: "read",
    outline: "read",
    writtenOf: "read",
    writtenAfter: "read",
    vector: "read",
    digest: "read",
    conflicts: "read",
    restore: "write",
    quarantine: "read",
    restamp: "write",
    forget: "write",
    unforget: "write",
    knownFields: "read",
    suppressed: "read",
    unscrubbed: "read",
    sync: "read",
    preview: "read",
    push: "read",
    verify: "read",
    acceptLoss: "read",
  },
  records: {
    company: "read",
    person: "read",
    write: "write",
    writeAll: "write",
    create: "write",
    createAll: "write",
    createPerson: "write",
    duplicatesOf: "read",
    addEntry: "write",
    rename: "write",
    merge: "write",
    forget: "write",
    erase: "write",
    remains: "read",
    resolve: "read",
    fileOf: "read",
    problems: "read",
    history: "read",
    planRestore: "read",
    restoreAt: "write",
    ingest: "read",
    watch: "stream",
    catchUp: "read",
    rebuild: "read",
    planAll: "read",
    similar: "read",
    find: "read",
    byDomain: "read",
    search: "read",
    count: "read",
    emailUsage: "read",
    domainUsage: "read",
    duplicatePairs: "read",
  },
  fleet: { view: "read", attach: "stream", report: "read" },
  wake: { added: "read", listen: "stream" },
} as const satisfies {
  readonly [part in keyof NodeApi]: { readonly [method in keyof NodeApi[part]]: CallKind };
};

const argumentsMax = 2;
const callOf = <P extends keyof typeof calls>(part: P) =>
  z.object({
    part: z.literal(part),
    method: z.enum(Object.keys(calls[part]) as [string, ...string[]]),
    args: z.array(z.unknown()).max(argumentsMax),
  });

const callSchema = z.discriminatedUnion("part", [
  callOf("ledger"),
  callOf("records"),
  callOf("fleet"),
  callOf("wake"),
]);
export type Call = Readonly<z.infer<typeof callSchema>>;

/** From a client. */
export const requestSchema = z.union([
  z.object({
    id: z.int(),
    call: callSchema,
    /** The newest stamp before the call was first sent; only when it is sent again. */
    after: z.string().optional(),
  }),
  z.object({ cancel: z.int() }),
  /** Asks for the newest stamp. */
  z.object({ id: z.int(), mark: z.literal(true) }),
  z.object({ id: z.int(), ping: z.literal(true) }),
]);
export type Request = z.infer<typeof requestSchema>;

/** From the owner. The first message is `ready`, as soon as the data folder is open. */
export type NodeAnswer =
  | { readonly ready: { readonly version: string; readonly pid: number } }
  | { readonly id: number; readonly value?: unknown }
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly failure: NodeFailure };

export interface NodeFailure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
}

export const kindOf = ({ part, method }: Call): CallKind =>
  (calls[part] as Readonly<Record<string, CallKind>>)[method]!;

export const failureOf = (error: unknown): NodeFailure =>
  error instanceof AppError
    ? { kind: error.kind, code: error.code, message: error.message }
    : { kind: "internal", code: "node_owner_failed", message: String(error) };

export const errorOf = ({ kind, code, message }: NodeFailure): AppError =>
  new AppError(kind, code, message);
