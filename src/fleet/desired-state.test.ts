import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAssignment, parseAssignments, toNodeDesired } from "./assignments.ts";
import {
  commanded,
  joined,
  nothingDesired,
  desiredFor,
  desiredSince,
  type DesiredState,
} from "./desired-state.ts";
import { decodeHint, encodeHint, parseDesired } from "./desired-format.ts";

const [pi1, pi2] = ["0000000000001", "0000000000002"];
const by = "hand:anna";
let atMs = 1;
const command = (desired: DesiredState, scopes: readonly string[], ...words: string[]) => {
  const assignments = words.map((word) => parseAssignment(word, () => undefined));
  return commanded(desired, { scopes, assignments, by, atMs: atMs++ });
};
const stateOf = (desired: DesiredState, node: string) =>
  toNodeDesired(desiredFor(desired, node)).state;

describe("what is wanted", () => {
  test("of one node or of all; the last command counts", () => {
    let desired = command(nothingDesired, ["all"], "workers.enrich=4", "pause");
    desired = command(desired, [pi1], "resume");
    expect([stateOf(desired, pi1), stateOf(desired, pi2)]).toEqual(["working", "paused"]);
    expect(desired.revision).toBe(2);
    desired = command(desired, ["all"], "pause");
    expect([stateOf(desired, pi1), stateOf(desired, pi2)]).toEqual(["paused", "paused"]);
    expect(Object.keys(desired.scopes)).toEqual(["all"]);
    desired = command(desired, [pi1, pi2], "workers.enrich=default", "drain");
    const now = toNodeDesired(desiredFor(desired, pi1));
    expect(now).toMatchObject({ state: "drained", stateRevision: 4 });
    expect(now.workers.size).toBe(0);
  });

  const anyDesired = fc
    .array(
      fc.record({
        scope: fc.constantFrom("all", pi1, pi2),
        key: fc.constantFrom("state", "workers.a"),
        value: fc.constantFrom("paused", "working", null),
        revision: fc.integer({ min: 1, max: 4 }),
        atMs: fc.integer({ min: 1, max: 2 }),
        by: fc.constantFrom("hand:a", "hand:b"),
      }),
      { maxLength: 8 },
    )
    .map((some) =>
      some.reduce<DesiredState>(
        (desired, { scope, key, ...entry }) =>
          joined(desired, { revision: entry.revision, scopes: { [scope]: { [key]: entry } } }),
        nothingDesired,
      ),
    );
  const plain = (desired: DesiredState) => ({
    revision: desired.revision,
    nodes: ["x", pi1, pi2].map((node) => desiredFor(desired, node)),
  });

  test("is the same by whichever way, in whichever order and however often it comes", () => {
    fc.assert(
      fc.property(anyDesired, anyDesired, anyDesired, (a, b, c) => {
        expect(plain(joined(a, b))).toEqual(plain(joined(b, a)));
        expect(plain(joined(joined(a, b), c))).toEqual(plain(joined(a, joined(b, c))));
        expect(joined(a, a)).toEqual(a);
        expect(plain(joined(a, desiredSince(a, 2)))).toEqual(plain(a));
      }),
    );
  });

  test("a revision is greater than all that were known, and parses back", () => {
    fc.assert(
      fc.property(anyDesired, (desired) => {
        const next = command(desired, ["all"], "pause");
        const { state } = next.scopes["all"]!;
        expect(state!.revision).toBeGreaterThan(desired.revision);
        expect(stateOf(next, pi1)).toBe("paused");
        expect(parseDesired(JSON.parse(JSON.stringify(next)))).toEqual(next);
      }),
    );
  });

  test("a hint that does not fit into a packet says the revision alone", () => {
    const desired = command(nothingDesired, ["all"], `campaign.a.phrases=${"x".repeat(2_000)}`);
    const hint = { ...desired, since: 0 };
    expect(decodeHint(encodeHint(hint, 9_000))).toEqual(hint);
    const bytes = encodeHint(hint, 1_000);
    expect(bytes.byteLength).toBeLessThan(100);
    expect(decodeHint(bytes)).toEqual({ revision: 1, since: 0, scopes: {} });
    for (const wrong of ["", "[]", '{"revision":-1,"since":0,"scopes":{}}', "null"]) {
      expect(decodeHint(Buffer.from(wrong))).toBeUndefined();
    }
    const odd = { revision: 1, since: 0, scopes: { "../../x": {} } };
    expect(decodeHint(Buffer.from(JSON.stringify(odd)))).toBeUndefined();
  });
});

describe("what is typed", () => {
  const parse = (text: string) => parseAssignment(text, (field) => `no ${field}`);

  test.each([
    ["pause", { key: "state", value: "paused" }],
    ["resume", { key: "state", value: "working" }],
    ["drain", { key: "state", value: "drained" }],
    ["workers.enrich=4", { key: "workers.enrich", value: "4" }],
    ["workers.enrich=0", { key: "workers.enrich", value: "0" }],
    ["workers.page=2x5-20", { key: "workers.page", value: "2x5-20" }],
    ["workers.page=default", { key: "workers.page", value: null }],
  ])("%s", (text, desired) => {
    expect(parse(text)).toEqual(desired);
  });

  test("values of campaigns are JSON, or plain words", () => {
    const value = (text: string) => parseAssignment(text, () => undefined).value;
    expect(value("campaign.austin.proximityKm=20")).toBe(20);
    expect(value('campaign.austin.phrases=["plumber"]')).toEqual(["plumber"]);
    expect(value("campaign.austin.politeness.contact=a@b.example")).toBe("a@b.example");
    expect(value("campaign.austin.proximityKm=default")).toBeNull();
  });

  test.each([
    ["puase", "did you mean pause"],
    ["workers.enrich", "There is pause, resume, drain, workers.KIND=COUNT"],
    ["workers.enrich=lots", "how many tasks at once"],
    ["workers.enrich=-1", "how many tasks at once"],
    ["workers.enrich=2x0", "how many tasks at once"],
    ["workers.enrich=00", "how many tasks at once"],
    ["workers.enrich=2x20-5", "how many tasks at once"],
    ["workers.enrich=10001", "how many tasks at once"],
    ["workers.enrich=2x5-10001", "how many tasks at once"],
    ["workers.enrich=0x5", "how many tasks at once"],
    ["constructor", "unknown setting"],
    ["toString", "unknown setting"],
    ["workers.=2", "a kind is missing"],
    ["crew.enrich=2", "there is no crew.enrich, only"],
    ["campaign.austin.colour=blue", "no colour"],
    ["campaign.../x.a=1", "there is no campaign.../x.a"],
    ["__proto__=1", "there is no __proto__"],
    [`campaign.a.phrases=${"x".repeat(9_000)}`, "longer than"],
  ])("lesson 24: %s is refused, and it says what to write", (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });

  test("a field that one command sets twice is refused", () => {
    const parseAll = (...texts: readonly string[]) => parseAssignments(texts, () => undefined);
    expect(parseAll("pause", "workers.enrich=4", "workers.page=4")).toHaveLength(3);
    expect(() => parseAll("pause", "resume")).toThrow("'resume': pause was given before");
    expect(() => parseAll("workers.a=1", "workers.b=1", "workers.a=2")).toThrow(
      "'workers.a=2': workers.a=1 was given before",
    );
  });

  test("a key of a later version is reported and not applied; the rest is", () => {
    const entry = { revision: 1, by, atMs: 1 };
    const now = toNodeDesired(
      new Map([
        ["mood", { ...entry, value: "good" }],
        ["state", { ...entry, value: "paused" }],
        ["workers.x", { ...entry, value: "many" }],
      ]),
    );
    expect(now.state).toBe("paused");
    expect(now.faults).toEqual([
      "mood is not known to this version",
      "workers.x is not known to this version",
    ]);
  });
});
