import fc from "fast-check";
import { noTime, parseStamp, stampOf, tick, witness, type HybridTime } from "../clock/stamp.ts";
import { referenceOf, type Datagram } from "../datagram/datagram.ts";
import { createCell } from "../fold/cell.ts";
import { markerOf } from "../fold/erased.ts";
import { seenBy } from "../fold/lane.ts";
import { foldInto, forgottenField, type PartState } from "../fold/part-state.ts";

export const nodeId = (index: number): string => `${index}`.padStart(13, "n");
export const sessionId = (index: number): string => `${index}`.padStart(26, "s");

/** A step of a few writers that receive each other's datagrams now and then. */
type Step =
  | {
      readonly kind: "write";
      readonly by: number;
      readonly target: string;
      readonly field: string;
      readonly value: string | undefined;
      readonly source: string;
      readonly wallMs: number;
    }
  | { readonly kind: "receive"; readonly by: number; readonly from: number };

const writers = 3;
const by = fc.nat({ max: writers - 1 });
const write = fc.record({
  kind: fc.constant("write" as const),
  by,
  target: fc.constantFrom("company/a", "company/b"),
  field: fc.constantFrom(
    "name",
    "phone",
    "phone",
    "email/x@y.z",
    forgottenField,
    markerOf("salt", { target: "company/a", field: "phone" }),
    markerOf("salt", { target: "company/a", field: "email/x@y.z" }),
  ),
  value: fc.option(fc.constantFrom('"one"', "2", '{"three":3}'), { nil: undefined, freq: 4 }),
  source: fc.constantFrom("hand:anna", "hand:bob", "place:osm/1", "site:https://a.b", "system"),
  wallMs: fc.integer({ min: 1_000, max: 1_030 }),
});
const receive = fc.record({ kind: fc.constant("receive" as const), by, from: by });

/** Possible histories: each write names what its writer had seen. */
export const anyHistory: fc.Arbitrary<readonly Datagram[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: write }, { weight: 2, arbitrary: receive }), {
    maxLength: 40,
  })
  .map((steps) => play(steps));

function play(steps: readonly Step[]): readonly Datagram[] {
  const all: Datagram[] = [];
  const known: Datagram[][] = Array.from({ length: writers }, () => []);
  const states: PartState[] = Array.from({ length: writers }, () => new Map());
  const clocks: HybridTime[] = Array.from({ length: writers }, () => noTime);
  const counts = Array.from({ length: writers }, () => 0);
  const learn = (who: number, datagram: Datagram) => {
    known[who]!.push(datagram);
    foldInto(states[who]!, datagram);
    clocks[who] = witness(clocks[who]!, parseStamp(datagram.stamp));
  };
  for (const step of steps) {
    if (step.kind === "receive") {
      for (const one of known[step.from]!) if (!known[step.by]!.includes(one)) learn(step.by, one);
      continue;
    }
    const { target, field, value, source } = step;
    clocks[step.by] = tick(clocks[step.by]!, step.wallMs);
    const seen = seenBy(states[step.by]!.get(target)?.get(field) ?? createCell(), step);
    const number = ++counts[step.by]!;
    const datagram: Datagram = {
      stamp: stampOf(clocks[step.by]!),
      node: nodeId(step.by),
      session: sessionId(step.by),
      number,
      commit: number,
      target,
      field,
      value,
      source,
      causality: seen ? referenceOf(seen) : "",
    };
    all.push(datagram);
    learn(step.by, datagram);
  }
  return all;
}
