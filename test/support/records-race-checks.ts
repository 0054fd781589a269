import { expect } from "vitest";
import { enough, filesOf, type Promised } from "./records-race.ts";
import type { RecordsSandbox } from "./records-sandbox.ts";

interface Row {
  readonly target: string;
  readonly texts: { readonly domain?: string };
  readonly tags: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** After a race: each promise is in its file and in the index, and a rebuild changes no byte. */
export async function checkRace(sandbox: RecordsSandbox, promised: Promised): Promise<void> {
  const { facts, edits, kills } = promised;
  expect(facts.length).toBeGreaterThan(enough.facts);
  expect(edits.length).toBeGreaterThan(enough.edits);
  expect(kills).toBeGreaterThan(enough.kills);
  await sandbox.good("records", "ingest");
  const before = filesOf(sandbox);
  const text = new Map<string, string>();
  for (const [name, content] of before) {
    const domain = /^domain: (.+)$/m.exec(content)?.[1];
    if (!name.endsWith("/_index.md") || domain === undefined) continue;
    expect(text.has(domain), `two files of ${domain}`).toBe(false);
    text.set(domain, content);
  }
  const lost = facts.filter(({ domain, tag }) => !linesOf(text.get(domain)).has(tag));
  expect(lost).toEqual([]);
  const lostEdits = edits.filter(({ domain, key }) => !text.get(domain)?.includes(`\n${key}: `));
  expect(lostEdits).toEqual([]);

  const { rows } = await sandbox.json<{ rows: Row[] }>("company", "list", "--limit", "100");
  const byDomain = new Map(rows.map((row) => [row.texts.domain, row]));
  expect(rows.length).toBe(text.size);
  const unknown = facts.filter(({ domain, tag }) => !byDomain.get(domain)?.tags.includes(tag));
  expect(unknown).toEqual([]);
  expect(edits.filter(({ domain, key }) => !(key in byDomain.get(domain)!.extra))).toEqual([]);
  await sandbox.good("records", "rebuild");
  expect(changedIn(before, filesOf(sandbox))).toEqual([]);
  await sandbox.good("ledger", "verify");
}

const linesOf = (text = ""): ReadonlySet<string> =>
  new Set(text.split("\n").map((line) => line.replace(/^ *- /, "")));

const changedIn = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
