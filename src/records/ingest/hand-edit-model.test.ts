import fc from "fast-check";
import { expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";
const fields = ["city", "zip", "street", "tag/a", "tag/b"] as const;
type Field = (typeof fields)[number];

type Step =
  /** A fact of a machine, rendered immediately, or at the next check. */
  | { readonly kind: "machine"; readonly field: Field; readonly isRendered: boolean }
  | { readonly kind: "open" }
  /** Typed in the editor; undefined value: deletes the line. */
  | { readonly kind: "type"; readonly field: Field; readonly isDelete: boolean }
  | { readonly kind: "save" }
  | { readonly kind: "look" };

const field = fc.constantFrom(...fields);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("machine" as const),
      field,
      isRendered: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "open" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("type" as const), field, isDelete: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "save" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "look" as const }) },
);

/** The last value of each side, with its time: a manual value counts until it is removed. */
interface Word {
  readonly value: unknown;
  readonly at: number;
}

/** The expected result, by rules that do not involve files, renders or diffs. */
function createModel() {
  const [machine, hand] = [new Map<Field, Word>(), new Map<Field, Word>()];
  let time = 0;
  return {
    say: (of: Field, value: unknown) => void machine.set(of, { value, at: ++time }),
    decide: (of: Field, value: unknown) => void hand.set(of, { value, at: ++time }),
    shown(of: Field): unknown {
      const [byHand, byMachine] = [hand.get(of), machine.get(of)];
      if (byHand?.value !== undefined) return byHand.value;
      return byMachine && byMachine.at > (byHand?.at ?? 0) ? byMachine.value : undefined;
    },
  };
}

const lineOf = (of: Field) =>
  of.startsWith("tag/") ? `  - ${of.slice(4)}\n` : new RegExp(`^${of}:.*\n`, "m");

function typed(text: string, of: Field, value: string | true | undefined): string {
  const without = text.replace(lineOf(of), "").replace(/^tags:\n(?! {2}-)/m, "");
  if (value === undefined) return without;
  if (!of.startsWith("tag/")) return without.replace("id: ", `${of}: ${value}\nid: `);
  return without.includes("tags:\n")
    ? without.replace("tags:\n", `tags:\n${String(lineOf(of))}`)
    : without.replace("id: ", `tags:\n${String(lineOf(of))}id: `);
}

async function play(at: TestRecords, steps: readonly Step[]): Promise<void> {
  const model = createModel();
  const source = "site:https://acme.com";
  let count = 0;
  const next = (of: Field) => (of.startsWith("tag/") ? true : `v${++count}`);
  await at.say(target, { name: "Acme" });
  let buffer = {
    text: at.read(file),
    base: new Map<Field, unknown>(),
    edits: new Map<Field, unknown>(),
  };
  let saved: typeof buffer | undefined;
  /** When a saved file is noticed, its edits are applied. */
  const notice = () => {
    for (const [of, value] of saved?.edits ?? []) {
      const isSame = (saved?.base.get(of) ?? undefined) === value;
      if (!isSame && model.shown(of) !== value) model.decide(of, value);
    }
    saved = undefined;
  };
  const check = async () => {
    const values = await valuesOf(at.ledger, target);
    for (const of of fields) expect([of, values[of]]).toEqual([of, model.shown(of)]);
    expect(at.records.problems()).toEqual([]);
  };
  for (const one of steps) {
    if (one.kind === "machine") {
      const value = next(one.field);
      const changes = [{ target, field: one.field, value }];
      await (one.isRendered ? at.records : at.ledger).write({ source, changes });
      if (model.shown(one.field) !== value) model.say(one.field, value);
      if (one.isRendered) notice();
    }
    if (one.kind === "open" && !saved) {
      await at.records.catchUp();
      const base = new Map(fields.map((of) => [of, model.shown(of)]));
      buffer = { text: at.read(file), base, edits: new Map() };
    }
    if (one.kind === "type") {
      const value = one.isDelete ? undefined : next(one.field);
      const text = typed(buffer.text, one.field, value);
      buffer = { ...buffer, text, edits: new Map([...buffer.edits, [one.field, value]]) };
    }
    if (one.kind === "save") {
      at.save(file, buffer.text);
      saved = { ...buffer, edits: new Map(buffer.edits) };
    }
    if (one.kind === "look") {
      await at.records.ingest();
      notice();
      await check();
    }
  }
  await at.records.ingest();
  notice();
  await at.records.catchUp();
  await check();
  const text = at.read(file);
  for (const of of fields) {
    const value = model.shown(of);
    const isThere = of.startsWith("tag/")
      ? text.includes(String(lineOf(of)))
      : text.includes(`${of}: ${String(value)}\n`);
    expect([of, isThere]).toEqual([of, value !== undefined]);
  }
}

test("hand edits and machine writes in any order: no newer fact is taken back, no edit is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      // An editor that is open for more than eight renders has to reload; that is not tested here.
      const renders = steps.filter(({ kind }) => kind !== "type");
      await using at = await openTestRecords();
      await play(at, renders.length > 7 ? steps.slice(0, steps.indexOf(renders[7]!)) : steps);
    }),
    { numRuns: 40 },
  );
});
