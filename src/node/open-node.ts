import { AppError } from "../base/app-error.ts";
import { closable, type Closable } from "../base/closable.ts";
import { sleep, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import type { Commit } from "../ledger/index.ts";
import { acquire } from "./client/acquire.ts";
import { checkJson } from "./check-json.ts";
import { isConnectionLost, type Connection, type Repeated } from "./client/connection.ts";
import { createInOrder } from "./owner/in-order.ts";
import type { MeetingPoint, OwnerLock } from "./meeting-point.ts";
import { withOwnIds } from "./client/own-ids.ts";
import type { NodeApi, Watch } from "./node-api.ts";
import type { NodeEvents } from "./node-events.ts";
import { createOwner, type Owner } from "./owner/owner.ts";
import { kindOf, type Call } from "./protocol.ts";
import { createRemoteApi } from "./client/remote-api.ts";
import { runCall, type OwnedNode } from "./owner/serve-channel.ts";

/**
 * - `service`: stays for long. As the owner it runs the node's services (gossip, sync, heartbeat);
 *   as a client it takes over when the owner ends.
 * - `command`: a short command. As the owner it runs no services.
 * - `worker`: a worker process. It is always a client.
 */
export type ProcessKind = "service" | "command" | "worker";

export interface OwnedParts extends OwnedNode, AsyncDisposable {
  /** What an owner of the kind `service` runs. */
  readonly services: () => Promise<Service>;
}

export interface OpenNodeOptions {
  readonly kind: ProcessKind;
  readonly point: MeetingPoint;
  /** Opens ledger and records. Called with the lock only; disposing does not release the lock. */
  readonly openOwned: (lock: OwnerLock) => Promise<OwnedParts>;
  /** False: the data folder was deleted or replaced since this process started. */
  readonly isSameFolder?: () => Promise<boolean>;
  readonly events?: Pick<NodeEvents, "onRole"> | undefined;
  /** Ends the wait for a data folder that cannot be opened yet. */
  readonly signal?: AbortSignal | undefined;
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A data folder as one process uses it. */
export interface NodeHandle extends Closable {
  readonly api: NodeApi;
  isOwner(): boolean;
  /** Rejects when a `service` cannot go on: its data folder is gone. Never resolves. */
  readonly failed: Promise<never>;
}

type Role =
  | { readonly kind: "owner"; readonly owner: Owner }
  | { readonly kind: "client"; readonly connection: Connection };

/** The pause after a failed take-over, and after an owner that did not answer. */
const againMs = 1_000;

/**
 * Opens a data folder: as its owner if no other process owns it, else as a client. Invariants:
 * - one process at a time owns the folder, and a write that resolved is durable, whichever process
 *   did it;
 * - a call that an owner did not answer is sent to the next owner; what the first one had written
 *   is not written again;
 * - a client whose owner is gone tries again: it becomes the owner, or finds the new one.
 */
export async function openNode(options: OpenNodeOptions): Promise<NodeHandle> {
  const { kind, clock, log, version, point } = options;
  const closing = new AbortController();
  let role: Role | undefined;
  let acquiring: Promise<Role> | undefined;
  let hasBegun = false;
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // a process that does not wait for it fails with its next call

  const begin = async (): Promise<Role> => {
    if (hasBegun && options.isSameFolder && !(await options.isSameFolder())) throw folderGone();
    const signal = options.signal
      ? AbortSignal.any([options.signal, closing.signal])
      : closing.signal;
    const found = await acquire({ ...options, canOwn: kind !== "worker", version, signal });
    if (found.kind === "client") {
      const client: Role = found;
      void found.connection.gone.then(() => lose(client));
      return client;
    }
    const owner = await createOwner({ ...options, point, lock: found.lock });
    return { kind: "owner", owner };
  };
  const currentRole = (): Promise<Role> => {
    if (closing.signal.aborted) return Promise.reject(closed());
    if (role) return Promise.resolve(role);
    acquiring ??= begin()
      .then((found) => {
        hasBegun = true;
        role = found;
        options.events?.onRole(
          found.kind === "owner"
            ? { kind: "owner" }
            : { kind: "client", owner: found.connection.ownerPid },
        );
        return found;
      })
      .finally(() => (acquiring = undefined));
    return acquiring;
  };
  /**
   * Call when the connection has ended. A service takes over by itself; other processes when they
   * need the node.
   */
  const lose = (lost: Role) => {
    if (role !== lost) return;
    role = undefined;
    if (kind === "service") void takeOver();
  };
  const takeOver = async () => {
    while (!closing.signal.aborted) {
      try {
        return void (await currentRole());
      } catch (error) {
        if (error instanceof AppError && error.code === "data_folder_gone") return fail(error);
        if (closing.signal.aborted) return;
        log.warn("the data folder has no owner that can be reached", { error });
      }
      await sleep(clock, againMs, closing.signal).catch(() => {});
    }
  };

  const calls = new Set<Promise<unknown>>();
  const inOrder = createInOrder();
  const send = async (call: Call, watch: Watch<unknown>): Promise<unknown> => {
    const repeated: Repeated = { after: undefined };
    for (;;) {
      if (closing.signal.aborted) throw closed();
      const at = await currentRole();
      if (at.kind === "owner") {
        const { node } = at.owner;
        const work = () => runCall(node.api, call, watch);
        return repeated.after === undefined ? work() : node.repeat(repeated.after, work);
      }
      try {
        return await at.connection.call(call, watch, repeated);
      } catch (error) {
        if (!isConnectionLost(error) || watch.signal?.aborted) throw error;
        lose(at);
      }
    }
  };
  /** Continues with the next owner, or with this one when it answers again. */
  const sendStream = async (
    call: Call,
    watch: Watch<unknown> & { readonly signal: AbortSignal },
  ) => {
    for (;;) {
      try {
        return await send(call, watch);
      } catch (error) {
        if (!isOwnerAway(error) || watch.signal.aborted) throw error;
        log.warn("the owner of the data folder does not answer", { call: call.method, error });
      }
      await sleep(clock, againMs, watch.signal).catch(() => {});
    }
  };
  const api = createRemoteApi(async (call, watch) => {
    if (kindOf(call) === "stream") return sendStream(call, endedBy(watch, closing.signal));
    checkJson(call.args);
    // One at a time: if the answers of two writes to one target were lost, the journal could not
    // show which of them it contains.
    const given = withOwnIds(call, options);
    const mine = inOrder.run(targetsOf(call), () => send(given, watch));
    const ended = mine.catch(() => {});
    calls.add(ended);
    void ended.then(() => calls.delete(ended));
    return mine;
  });
  await currentRole();

  return {
    api,
    isOwner: () => role?.kind === "owner",
    failed,
    ...closable(async () => {
      await Promise.all(calls);
      closing.abort();
      await acquiring?.catch(() => {});
      const last = role;
      role = undefined;
      if (last?.kind === "owner") await last.owner.leave();
      else last?.connection.close();
    }),
  };
}

const isOwnerAway = (error: unknown): boolean =>
  error instanceof AppError &&
  ["node_owner_silent", "node_in_use", "node_no_owner"].includes(error.code);

const endedBy = (watch: Watch<unknown>, end: AbortSignal) => ({
  ...watch,
  signal: watch.signal ? AbortSignal.any([watch.signal, end]) : end,
});

/** The targets that a call writes to, as far as its arguments show. */
function targetsOf({ method, args }: Call): readonly string[] {
  if (method !== "write") return [];
  return (args[0] as Commit).changes.map(({ target }) => target);
}

const closed = () => new AppError("aborted", "node_closed", "the node was closed");

const folderGone = () =>
  new AppError(
    "unavailable",
    "data_folder_gone",
    "the data folder is not the one that this process started with: it was deleted, moved or " +
      "replaced. Check that it is there, and start again",
  );
