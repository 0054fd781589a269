import { afterTick } from "../../base/tick.ts";
import type { Company } from "../fields/company.ts";
import { idOf } from "../fields/company.ts";
import type { RecordLookup } from "../search/record-index.ts";
import { compared, namesSharedMax } from "./compare-companies.ts";
import { judgePair, type ComparedCompany, type PairEvidence } from "./judge-pair.ts";
import { createKeyTable, keyOf, type KeyTable } from "./key-table.ts";

/** Two companies that may be the same. */
export interface DuplicatePair {
  readonly verdict: "same" | "review";
  /** The one that would stay if they are merged. */
  readonly into: PairMember;
  readonly from: PairMember;
  readonly evidence: PairEvidence;
}

export interface PairMember {
  readonly target: string;
  readonly slug: string;
  readonly name: string;
}

export interface FindPairsOptions {
  /** Absent: both verdicts. */
  readonly verdict?: DuplicatePair["verdict"];
  readonly limit: number;
}

const pageSize = 500;
/** 1.1 km from south to north: neighbours within half of that share a cell. */
const cellsPerDegree = 100;
/** A key that more companies share is useless: a chain, a switchboard, a town's name. */
const membersMax = 200;
/** How many companies are kept in memory. Neighbours are compared one after the other. */
const rowsMax = 50_000;

/**
 * Finds companies that may be the same: by phone, by domain, and by name among neighbours. Every
 * pair is compared once. Pairs that a user has marked as distinct are left out. Certain matches
 * come first. Of each company only its id and numbers for its keys stay in memory.
 */
export async function findDuplicatePairs(
  index: Pick<RecordLookup, "targets" | "find">,
  { verdict, limit }: FindPairsOptions,
): Promise<readonly DuplicatePair[]> {
  const rows = await readRows(index);
  let reviews: DuplicatePair[] = [];
  const sure: DuplicatePair[] = [];
  const best = () => reviews.sort(byCertainty).slice(0, limit);
  for await (const [one, other] of candidatePairs(rows)) {
    const judged = judgePair(one.compared, other.compared);
    if (judged.verdict === "different") continue;
    const [into, from] = comesFirst(one, other) ? [one, other] : [other, one];
    const pair = { verdict: judged.verdict, into: into.member, from: from.member, evidence: judged.evidence }; // prettier-ignore
    if (pair.verdict === "same") sure.push(pair);
    else if (reviews.push(pair) >= 2 * limit) reviews = best();
  }
  const settled = settle(sure, (target) => rows.load(target)?.compared.sources ?? []);
  return [...settled, ...best()]
    .filter((pair) => verdict === undefined || pair.verdict === verdict)
    .sort(byCertainty)
    .slice(0, limit);
}

/** The parts of a company that decide about pairs. */
interface Row {
  readonly member: PairMember;
  readonly compared: ComparedCompany;
  readonly keys: ReadonlySet<number>;
  /** Entries and tags: the work of users. */
  readonly weight: number;
  readonly foundAt: string;
  /** Ids are hashes: by place, the order does not change with the way they are made. */
  readonly orderKey: string;
  readonly distinctFrom: readonly string[];
}

interface Rows {
  readonly keys: KeyTable;
  targetOf(company: number): string;
  load(target: string): Row | undefined;
}

/** Reads all companies once for their keys; `load` reads one again. */
async function readRows(index: Pick<RecordLookup, "targets" | "find">): Promise<Rows> {
  const targets: string[] = [];
  /** By company: the hash of its name. */
  const names: number[] = [];
  const [keys, branches] = [createKeyTable(), createKeyTable()];
  for (let after: string | undefined; ;) {
    const page = index.targets({ kind: "company", ...(after !== undefined && { after }), limit: pageSize }); // prettier-ignore
    for (const target of page) {
      const found = index.find(target);
      if (found?.kind !== "company") continue;
      const one = compared(found.company);
      for (const key of keysOf(one)) keys.add(key, targets.length);
      branches.add(branchKey(one), targets.length);
      names.push(keyOf(one.name.joined));
      targets.push(target);
    }
    after = page.at(-1);
    if (page.length < pageSize || after === undefined) break;
    await new Promise<void>(afterTick);
  }
  keys.seal();
  branches.seal();
  const known = new Map<string, boolean>();
  /** False for a phone or a domain that many names share. */
  const isOwn = (text: string): boolean => {
    let own = known.get(text);
    if (own === undefined) {
      const shared = keys.members(keyOf(text), Infinity);
      own = new Set(shared.map((company) => names[company])).size <= namesSharedMax;
      if (known.size >= rowsMax) known.clear();
      known.set(text, own);
    }
    return own;
  };
  const rowOf = (company: Company): Row => {
    const one = compared(company);
    const { target, slug, name, texts, entries, tags, excluded, distinctFrom = [] } = company;
    const { domain } = one;
    const own: ComparedCompany = {
      ...one,
      phones: one.phones.filter((phone) => isOwn(phoneKey(phone))),
      domain: domain !== undefined && isOwn(domainKey(domain)) ? domain : undefined,
      // Two sources with one branch each already give the name twice, so a chain needs three.
      isChain: branches.members(branchKey(one), 3).length >= 3,
    };
    return {
      member: { target, slug, name },
      compared: own,
      keys: keysOf(own),
      weight: entries.length + tags.length + (excluded === undefined ? 0 : 1),
      foundAt: texts.foundAt ?? "9",
      orderKey: `${texts.place ?? texts.domain ?? ""} ${target}`,
      distinctFrom,
    };
  };
  const loaded = new Map<string, Row>();
  return {
    keys,
    targetOf: (company) => targets[company]!,
    load(target) {
      let row = loaded.get(target);
      if (row) return row;
      const found = index.find(target);
      if (found?.kind !== "company") return undefined;
      row = rowOf(found.company);
      if (loaded.size >= rowsMax) loaded.delete(loaded.keys().next().value!);
      loaded.set(target, row);
      return row;
    },
  };
}

/**
 * All pairs that share a key, each once: at the smallest of their common keys.
 */
async function* candidatePairs(rows: Rows): AsyncGenerator<readonly [Row, Row]> {
  const isUsed = (key: number) => rows.keys.members(key, membersMax + 1).length <= membersMax;
  const isSeenBefore = (one: Row, other: Row, key: number): boolean => {
    for (const shared of one.keys) {
      if (shared < key && other.keys.has(shared) && isUsed(shared)) return true;
    }
    return false;
  };
  let count = 0;
  for (const { key, members } of rows.keys.shared(membersMax)) {
    const group = members.flatMap((company) => rows.load(rows.targetOf(company)) ?? []);
    for (const [at, one] of group.entries()) {
      if (!one.keys.has(key)) continue;
      for (const other of group.slice(at + 1)) {
        if (!other.keys.has(key) || isDistinct(one, other) || isDistinct(other, one)) continue;
        if (isSeenBefore(one, other, key)) continue;
        yield [one, other];
      }
    }
    if (++count % 1_000 === 0) await new Promise<void>(afterTick);
  }
}

const isDistinct = ({ distinctFrom }: Row, { member }: Row): boolean =>
  distinctFrom.includes(idOf(member.target));

/**
 * Decides which of two stays: the one that users worked on, then the older one. The same on every
 * node.
 */
function comesFirst(a: Row, b: Row): boolean {
  if (a.weight !== b.weight) return a.weight > b.weight;
  return a.foundAt === b.foundAt ? a.orderKey < b.orderKey : a.foundAt < b.foundAt;
}

type Plain = Omit<ComparedCompany, "isChain">;

const phoneKey = (phone: string) => `p ${phone}`;
const domainKey = (domain: string) => `d ${domain}`;

function keysOf(one: Plain): ReadonlySet<number> {
  const keys = new Set(one.phones.map((phone) => keyOf(phoneKey(phone))));
  if (one.domain !== undefined) keys.add(keyOf(domainKey(one.domain)));
  for (const key of spatialKeys(one)) keys.add(key);
  return keys;
}

/** A name within half a degree. */
const branchKey = ({ name, point }: Plain): number =>
  keyOf(
    `${name.joined} ${point ? `${Math.floor(point.latitude * 2)} ${Math.floor(point.longitude * 2)}` : ""}`,
  );

/**
 * A cell and the beginning of a word. Each company is in its own cell and the three nearest ones,
 * so that two neighbours share a cell even across an edge.
 */
function spatialKeys({ point, name }: Plain): readonly number[] {
  if (!point) return [];
  const [row, column] = [point.latitude * cellsPerDegree, point.longitude * cellsPerDegree];
  const [rows, columns] = [nearestTwo(row), nearestTwo(column)];
  const words = name.telling.length > 0 ? name.telling : name.words;
  const starts = new Set([...words.slice(0, 4), name.joined].map((word) => word.slice(0, 3)));
  return rows.flatMap((one) =>
    columns.flatMap((other) =>
      [...starts].map((start) => keyOf(`n ${one} ${other} ${start}`, regionOf(one, other))),
    ),
  );
}

/** 64 × 64 regions, so that neighbours are read together. */
function regionOf(row: number, column: number): number {
  const part = (value: number, whole: number) =>
    Math.min(63, Math.max(0, Math.floor((value / cellsPerDegree / whole + 0.5) * 64)));
  return part(row, 180) * 64 + part(column, 360);
}

function nearestTwo(value: number): readonly number[] {
  const whole = Math.floor(value);
  return [whole, value - whole >= 0.5 ? whole + 1 : whole - 1];
}

interface Group {
  readonly sources: Set<string>;
  parent: Group | undefined;
}

/**
 * A company has one place in each source. Of several certain pairs with one company the best
 * counts; pairs that would give it a second place of the same source are left to users.
 */
function settle(
  pairs: readonly DuplicatePair[],
  sourcesOf: (target: string) => readonly string[],
): readonly DuplicatePair[] {
  const groupOf = new Map<string, Group>();
  const group = (target: string): Group => {
    let found = groupOf.get(target);
    if (!found) {
      found = { sources: new Set(sourcesOf(target)), parent: undefined };
      groupOf.set(target, found);
    }
    while (found.parent) found = found.parent;
    return found;
  };
  const joined: DuplicatePair[] = [];
  for (const pair of [...pairs].sort(byCertainty)) {
    const [a, b] = [group(pair.into.target), group(pair.from.target)];
    if (a === b) continue; // already the same through other pairs
    if ([...a.sources].some((source) => b.sources.has(source))) {
      joined.push({ ...pair, verdict: "review" });
      continue;
    }
    for (const source of b.sources) a.sources.add(source);
    b.parent = a;
    joined.push(pair);
  }
  return joined;
}

const byCertainty = (a: DuplicatePair, b: DuplicatePair): number =>
  Number(b.verdict === "same") - Number(a.verdict === "same") ||
  Number(b.evidence.phone !== undefined) - Number(a.evidence.phone !== undefined) ||
  b.evidence.name - a.evidence.name ||
  (a.evidence.distanceM ?? 1e9) - (b.evidence.distanceM ?? 1e9) ||
  (a.into.target + a.from.target < b.into.target + b.from.target ? -1 : 1);
