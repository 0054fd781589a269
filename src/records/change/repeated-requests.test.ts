import { describe, expect, test } from "vitest";
import type { Ledger } from "../../ledger/index.ts";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords } from "../testing/test-records.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const source = "hand:anna";

describe("a request whose answer was lost is repeated", () => {
  test("create: one company, with the id that the caller gave", async () => {
    await using at = await openTestRecords();
    const request = { source, id: "abc1", fields: { name: "Acme", "tag/x": true } };
    const first = await at.records.create(request);
    expect(first).toMatchObject({ outcome: "created", target: "company/abc1", slug: "acme" });
    // Another user has changed it since: the repeated request must not undo that.
    await at.say("company/abc1", { name: "Acme Ltd" }, "hand:bob");
    const [again, separate] = await at.records.createAll([
      request,
      { ...request, isSeparate: true, fields: { ...request.fields, domain: "acme.example" } },
    ]);
    expect(again).toMatchObject({ outcome: "created", target: "company/abc1", written: 0 });
    expect(separate).toMatchObject({ outcome: "created", target: "company/abc1", written: 0 });
    expect(await valuesOf(at.ledger, "company/abc1")).toMatchObject({ name: "Acme Ltd" });
    expect(at.index.targets({ kind: "company", limit: 9 })).toEqual(["company/abc1"]);
  });

  test("create twice in one call: one company", async () => {
    await using at = await openTestRecords();
    const request = { source, id: "abc1", fields: { name: "Acme" } };
    const made = await at.records.createAll([request, request]);
    expect(made.map(({ target }) => target)).toEqual(["company/abc1", "company/abc1"]);
    expect(at.index.targets({ kind: "company", limit: 9 })).toHaveLength(1);
  });

  test("create with a domain, a place or a key: these give the id, as on every node", async () => {
    await using at = await openTestRecords();
    const made = await at.records.createAll([
      { source, id: "x", fields: { domain: "acme.example" } },
      { source, id: "y", fields: { place: "osm/1" } },
      { source, id: "z", key: "line7", fields: { name: "Seven" } },
    ]);
    expect(made.map(({ target }) => target)).toEqual([
      targetOfKey("acme.example"),
      targetOfKey("osm.1"),
      targetOfKey("line7"),
    ]);
  });

  test("create: what was forgotten since stays forgotten, what was merged is found", async () => {
    await using at = await openTestRecords();
    const [one, other] = ["a1", "b1"].map((id) => ({ source, id, fields: { name: `C ${id}` } }));
    await at.records.createAll([one!, other!]);
    await at.records.merge({ from: "company/b1", into: "company/a1", source });
    expect(await at.records.create(other!)).toMatchObject({ target: "company/a1", written: 0 });
    await at.records.forget({ name: "company/a1", source });
    expect(await at.records.create(one!)).toMatchObject({ outcome: "suppressed" });
  });

  test("createPerson: one person", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    const request = { source, id: "p1", fields: { name: "Anna" }, company: "acme", role: "boss" };
    const first = await at.records.createPerson(request);
    expect(first).toMatchObject({ outcome: "created", target: "person/p1", slug: "anna" });
    await at.say("person/p1", { name: "Anna B" }, "hand:bob");
    const again = await at.records.createPerson(request);
    expect(again).toEqual({ ...first, written: 0 });
    expect(await valuesOf(at.ledger, "person/p1")).toMatchObject({ name: "Anna B" });
    expect(at.index.targets({ kind: "person", limit: 9 })).toEqual(["person/p1"]);
    await at.records.forget({ name: "person/p1", source });
    expect(await at.records.createPerson(request)).toMatchObject({
      outcome: "suppressed",
      slug: "",
    });
  });

  test("addEntry: one entry, as the first request made it", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    const request = { name: "acme", kind: "call", source, text: "hi", id: "n1" } as const;
    const first = await at.records.addEntry({ ...request, at: "2026-01-02T03:04:05.000Z" });
    expect(first).toMatchObject({ id: "n1", at: "2026-01-02T03:04:05.000Z", by: "anna" });
    await at.clock.advance(1_000);
    expect(await at.records.addEntry(request)).toEqual(first);
    expect((await at.records.company("acme"))?.entries).toEqual([first]);
    await at.records.addEntry({ ...request, id: "n2" });
    expect((await at.records.company("acme"))?.entries).toHaveLength(2);
  });

  test("merge: done already, also by way of a third one", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "A", city: "Bonn" });
    await at.say("company/b", { name: "B" });
    await at.say("company/c", { name: "C" });
    const request = { from: "company/a", into: "company/b", source };
    expect(await at.records.merge(request)).toEqual({ fields: 1 });
    const log = (await at.ledger.log({ from: 0, limit: Infinity })).length;
    expect(await at.records.merge(request)).toEqual({ fields: 0 });
    expect(await at.ledger.log({ from: 0, limit: Infinity })).toHaveLength(log);
    await at.records.merge({ from: "company/b", into: "company/c", source });
    expect(await at.records.merge({ ...request, into: "company/c" })).toEqual({ fields: 0 });
    expect(await at.records.merge(request)).toEqual({ fields: 0 });
    await at.say("company/d", { name: "D" });
    await expect(at.records.merge({ ...request, into: "company/d" })).rejects.toMatchObject({
      code: "records_unknown",
    });
    await expect(at.records.merge({ ...request, from: "company/none" })).rejects.toMatchObject({
      code: "records_unknown",
    });
  });

  test("forget: the same answer, and what was left is removed", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme", domain: "acme.example" });
    const gone = at.read("companies/acme/_index.md");
    const request = { name: "company/a", source };
    const first = await at.records.forget(request);
    expect(first).toMatchObject({ target: "company/a", files: 0, aside: 0 });
    at.save(
      `records/aside/${at.clock.nowMs().toString(36)}-abcdefgh-companies~acme~_index.md`,
      gone,
    );
    const log = (await at.ledger.log({ from: 0, limit: Infinity })).length;
    expect(await at.records.forget(request)).toEqual({ ...first, scrubbed: 0 });
    expect(await at.ledger.log({ from: 0, limit: Infinity })).toHaveLength(log);
    expect(at.list("records/aside")).toEqual([]);
    for (const name of ["company/none", "acme"]) {
      await expect(at.records.forget({ name, source })).rejects.toMatchObject({
        code: "records_unknown",
      });
    }
  });

  test("forget that ended half-way: what was merged into it is forgotten too", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "A", "email/a@a.example": true });
    await at.say("company/b", { name: "B" });
    await at.records.merge({ from: "company/a", into: "company/b", source });
    let calls = 0;
    const dying = {
      ...at.ledger,
      forget: async (request: Parameters<Ledger["forget"]>[0]) => {
        calls += 1;
        if (calls > 1) throw new Error("killed");
        return at.ledger.forget(request);
      },
    };
    const half = await openTestRecords({ ledger: dying, clock: at.clock });
    await expect(half.records.forget({ name: "company/b", source })).rejects.toThrow("killed");
    await half[Symbol.asyncDispose]();
    await at.records.forget({ name: "company/b", source });
    for (const target of ["company/a", "company/b"]) {
      expect((await at.ledger.read(target)).isForgotten, target).toBe(true);
    }
  });

  test("an id that cannot be one is refused", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    const bad = { source, id: "../x", fields: { name: "X" } };
    for (const work of [
      () => at.records.create(bad),
      () => at.records.createPerson(bad),
      () => at.records.addEntry({ name: "acme", kind: "note", source, text: "", id: "a/b" }),
    ]) {
      await expect(work()).rejects.toMatchObject({ kind: "invalid", code: "records_id" });
    }
  });
});
