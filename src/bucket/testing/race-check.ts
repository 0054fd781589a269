import type { BucketRaceEvent } from "./race-history.ts";

type EventOf<Name extends BucketRaceEvent["event"]> = Extract<
  BucketRaceEvent,
  { readonly event: Name }
>;

/** The value that the parent process writes before a race begins. */
export const firstNonce: string = "first";

/**
 * Checks that a history of compare-and-swaps on one register is linearizable. Returns what is
 * wrong, or an empty list. Every content has its own nonce and the number of earlier writes, so the
 * order of the writes is known. It remains to check that there is only one order and that it agrees
 * with real time.
 */
export function checkRegister(key: string, events: readonly BucketRaceEvent[]): readonly string[] {
  const faults: string[] = [];
  const of = <Name extends BucketRaceEvent["event"]>(name: Name) =>
    events.filter(
      (event): event is EventOf<Name> =>
        event.event === name && (!("key" in event) || event.key === key),
    );
  const tries = new Map(of("try").map((one) => [one.nonce, one]));
  const reads = of("read");
  const wrote = of("wrote");

  /** Contents that were stored at some time: a process got a success for it or read it. */
  const nonceOf = new Map<number, string>([[0, firstNonce]]);
  const stood = (count: number, nonce: string) => {
    const known = nonceOf.get(count);
    if (known !== undefined && known !== nonce) {
      faults.push(`two writes were number ${count}: ${known} and ${nonce}`);
    }
    nonceOf.set(count, nonce);
  };
  for (const { nonce } of wrote) stood(tries.get(nonce)?.count ?? -1, nonce);
  for (const { count, nonce, atMs } of reads) {
    const origin = tries.get(nonce);
    if (!origin && nonce !== firstNonce) faults.push(`${nonce} was read and never written`);
    if (origin && origin.count !== count) faults.push(`${nonce} was read with another number`);
    if (origin && atMs < origin.atMs) faults.push(`${nonce} was read before it was written`);
    stood(count, nonce);
  }

  const real = new Set(nonceOf.values());
  for (const { nonce } of of("refused")) {
    if (real.has(nonce)) faults.push(`${nonce} was refused, and stood all the same`);
  }
  for (const nonce of real) {
    const attempt = tries.get(nonce);
    const before = attempt && nonceOf.get(attempt.count - 1);
    if (!attempt || before === undefined || before === attempt.baseNonce) continue;
    faults.push(`${nonce} replaced ${before}, though it was to replace ${attempt.baseNonce}`);
  }
  return [...faults, ...checkRealTime({ reads, wrote, tries, real })];
}

interface RealTimeOptions {
  readonly reads: readonly EventOf<"read">[];
  readonly wrote: readonly EventOf<"wrote">[];
  readonly tries: ReadonlyMap<string, EventOf<"try">>;
  readonly real: ReadonlySet<string>;
}

/** After a number is known to be stored, no later operation may see or write a lower one. */
function checkRealTime({ reads, wrote, tries, real }: RealTimeOptions): readonly string[] {
  const known = [
    ...reads.map(({ count, atMs }) => ({ count, atMs })),
    ...wrote.map(({ nonce, atMs }) => ({ count: tries.get(nonce)?.count ?? 0, atMs })),
  ].sort((a, b) => a.atMs - b.atMs);
  const begun = [
    ...reads.map(({ count, nonce, sinceMs }) => ({ least: count, nonce, atMs: sinceMs })),
    ...[...tries.values()]
      .filter(({ nonce }) => real.has(nonce))
      .map(({ count, nonce, atMs }) => ({ least: count - 1, nonce, atMs })),
  ].sort((a, b) => a.atMs - b.atMs);
  const faults: string[] = [];
  let highest = 0;
  let at = 0;
  for (const { least, nonce, atMs } of begun) {
    while (at < known.length && known[at]!.atMs < atMs) {
      highest = Math.max(highest, known[at++]!.count);
    }
    if (least < highest) faults.push(`${nonce} came after number ${highest} was known to stand`);
  }
  return faults;
}

/** Checks that one session at a time acted in a role, with rising epochs. Returns what is wrong. */
export function checkActs(events: readonly BucketRaceEvent[]): readonly string[] {
  const acts = events
    .filter((event): event is EventOf<"act"> => event.event === "act")
    .sort((a, b) => a.atMs - b.atMs);
  const faults: string[] = [];
  const sessionOf = new Map<number, string>();
  let highest = 0;
  for (const { session, epoch } of acts) {
    const known = sessionOf.get(epoch);
    if (known !== undefined && known !== session) {
      faults.push(`${known} and ${session} both acted in epoch ${epoch}`);
    }
    sessionOf.set(epoch, session);
    if (epoch < highest) faults.push(`an act in epoch ${epoch} came after one in ${highest}`);
    highest = Math.max(highest, epoch);
  }
  return faults;
}
