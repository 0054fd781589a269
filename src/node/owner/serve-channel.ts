import { withDeadline } from "../../base/with-deadline.ts";
import { AppError } from "../../base/app-error.ts";
import { type Clock } from "../../base/clock.ts";
import type { Channel } from "../meeting-point.ts";
import type { NodeApi, Watch } from "../node-api.ts";
import { failureOf, kindOf, requestSchema, type NodeAnswer, type Call } from "../protocol.ts";

export interface OwnedNode {
  readonly api: NodeApi;
  /** The newest stamp in the ledger. */
  newestStamp(): string;
  /** Runs a call whose answer was lost, without writing what was written already. */
  repeat<T>(after: string, work: () => Promise<T>): Promise<T>;
}

export interface ServedChannel {
  /**
   * Takes no more requests, and waits until the accepted ones are answered. Requests that take too
   * long end without an answer: the client repeats them with the next owner.
   */
  finish(): Promise<void>;
}

/** Requests of one client at once. Above that the channel is paused. */
const requestsMax = 256;
const finishMsMax = 10_000;

interface RunningCall {
  readonly call: Call;
  readonly control: AbortController;
  readonly ended: Promise<void>;
}

/** Answers the calls of one client, many at a time: writes that arrive together share one sync. */
export function serveChannel(
  channel: Channel,
  { node, clock }: { readonly node: OwnedNode; readonly clock: Clock },
): ServedChannel {
  const running = new Map<number, RunningCall>();
  let isFinishing = false;

  const answer = (message: NodeAnswer) => {
    try {
      channel.send(message);
    } catch (error) {
      if (!(error instanceof RangeError) || !("id" in message)) throw error;
      channel.send({ id: message.id, failure: failureOf(answerTooLong(error.message)) });
    }
  };
  const run = async (id: number, call: Call, after: string | undefined, signal: AbortSignal) => {
    const onProgress = (progress: unknown) => answer({ id, progress });
    const work = () => runCall(node.api, call, { onProgress, signal });
    try {
      const value = await (after === undefined ? work() : node.repeat(after, work));
      if (!signal.aborted || !isFinishing) answer({ id, value });
    } catch (error) {
      if (!signal.aborted || !isFinishing) answer({ id, failure: failureOf(error) });
    }
    running.delete(id);
    if (!isFinishing && running.size < requestsMax / 2) channel.setPaused(false);
  };
  const receive = (message: unknown) => {
    const { data: request } = requestSchema.safeParse(message);
    if (!request) return channel.close(); // not a client of this version
    if ("cancel" in request) return running.get(request.cancel)?.control.abort();
    if (isFinishing) return;
    const { id } = request;
    if ("ping" in request) return answer({ id });
    if ("mark" in request) return answer({ id, value: node.newestStamp() });
    const { call, after } = request;
    const control = new AbortController();
    // Start it later, so that the call is in `running` before it can end.
    const ended = Promise.resolve().then(() => run(id, call, after, control.signal));
    running.set(id, { call, control, ended });
    if (running.size >= requestsMax) channel.setPaused(true);
  };
  const abort = (isToEnd: (call: Call) => boolean) => {
    for (const { call, control } of running.values()) if (isToEnd(call)) control.abort();
  };
  void channel.closed.then(() => abort(() => true));
  channel.receive(receive);

  return {
    async finish() {
      isFinishing = true;
      channel.setPaused(true);
      abort((call) => kindOf(call) === "stream");
      const all = () => Promise.all([...running.values()].map(({ ended }) => ended));
      await withDeadline(all(), { clock, ms: finishMsMax });
      abort(() => true);
      await all();
    },
  };
}

/** Calls the method. The schema has checked that there is such a method. */
export function runCall(api: NodeApi, { part, method, args }: Call, watch: Watch<unknown>) {
  const methods = api[part] as unknown as Readonly<
    Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  >;
  return methods[method]!(...args, watch);
}

const answerTooLong = (why: string) =>
  new AppError(
    "invalid",
    "node_answer_too_long",
    `the answer is too long to be sent (${why}): ask for fewer at a time`,
  );
