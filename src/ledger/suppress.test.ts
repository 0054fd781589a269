import { expect, test } from "vitest";
import { forgetRegister } from "./forget.ts";
import {
  suppressChanges,
  suppressionEntries,
  suppressionTargets,
  unsuppressChanges,
} from "./suppress.ts";
import { openTestLedger } from "./testing/test-ledger.ts";

const source = "hand:anna";
const newSalt = "0".repeat(26);
const value = { kind: "email" };

test("an address is listed by itself and by its domain, a domain by one above it", async () => {
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ files });
  expect(await ledger.suppressed(["email:a@b.example"])).toEqual([]);
  const keys = [
    "email:Anna@a.example",
    "domain:b.example",
    "phone:+4989123456",
    "place:osm/node/1",
  ];
  const register = await ledger.read(forgetRegister);
  await ledger.write({ source, changes: suppressChanges(register, { keys, value, newSalt }) });
  const listed = [
    "email:anna@a.example",
    "email:x@mail.B.example",
    "domain:b.example",
    "domain:shop.b.example",
    "phone:+4989123456",
    "place:osm/node/1",
  ];
  const others = ["email:bob@a.example", "email:x@notb.example", "domain:a.example", "domain:example", "phone:+4989123457"]; // prettier-ignore
  expect(await ledger.suppressed([...listed, ...others])).toEqual(listed);
  const stored = [...files.values()].map((bytes) => Buffer.from(bytes).toString()).join("");
  for (const key of keys) expect(stored).not.toContain(key.slice(key.indexOf(":") + 1));

  const now = await ledger.read(forgetRegister);
  await ledger.write({ source, changes: unsuppressChanges(now, ["domain:b.example"]) });
  expect(await ledger.suppressed(["domain:shop.b.example", "phone:+4989123456"])).toEqual([
    "phone:+4989123456",
  ]);
});

test("entries that were stored, or written since, are found without reading the whole list", async () => {
  const files = new Map<string, Uint8Array>();
  const add = async (keys: readonly string[]) => {
    await using ledger = await openTestLedger({ files });
    const register = await ledger.read(forgetRegister);
    await ledger.write({ source, changes: suppressChanges(register, { keys, value, newSalt }) });
    return await ledger.suppressed(["email:a@a.example", "email:b@a.example", "email:c@a.example"]);
  };
  expect(await add(["email:a@a.example"])).toEqual(["email:a@a.example"]);
  expect(await add(["email:b@a.example"])).toEqual(["email:a@a.example", "email:b@a.example"]);
});

test("two nodes that made a salt each at the same moment find the entries of both", async () => {
  await using ledger = await openTestLedger();
  const register = await ledger.read(forgetRegister);
  for (const [at, key] of ["email:a@a.example", "email:b@a.example"].entries()) {
    const changes = suppressChanges(register, {
      keys: [key],
      value,
      newSalt: String(at).repeat(26),
    });
    await ledger.write({ source, changes });
  }
  const keys = ["email:a@a.example", "email:b@a.example"];
  expect(await ledger.suppressed([...keys, "email:c@a.example"])).toEqual(keys);
  const views = await ledger.readAll(suppressionTargets);
  expect(views.flatMap(suppressionEntries)).toHaveLength(2);
  await ledger.write({
    source,
    changes: unsuppressChanges(await ledger.read(forgetRegister), keys),
  });
  expect(await ledger.suppressed(keys)).toEqual([]);
});
