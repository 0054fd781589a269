import { afterTick } from "../../base/tick.ts";
import type { Company } from "../fields/company.ts";
import { idOf } from "../fields/company.ts";
import type { RecordLookup } from "../search/record-index.ts";
import { compared, namesSharedMax } from "./compare-companies.ts";
import { judgePair, type ComparedCompany, type PairEvidence } from "./judge-pair.ts";

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

/**
 * Finds companies that may be the same: by phone, by domain, and by name among neighbours. Every
 * pair is compared once. Pairs that a user has marked as distinct are left out. Certain matches
 * come first.
 */
export async function findDuplicatePairs(
  index: Pick<RecordLookup, "targets" | "find">,
  { verdict, limit }: FindPairsOptions,
): Promise<readonly DuplicatePair[]> {
  const known = new Map<string, Company>();
  const plain: Omit<ComparedCompany, "isChain">[] = [];
  for (let after: string | undefined; ;) {
    const page = index.targets({ kind: "company", ...(after !== undefined && { after }), limit: pageSize }); // prettier-ignore
    for (const target of page) {
      const found = index.find(target);
      if (found?.kind !== "company") continue;
      known.set(target, found.company);
      plain.push(compared(found.company));
    }
    after = page.at(-1);
    if (page.length < pageSize || after === undefined) break;
    await new Promise<void>(afterTick);
  }
  const all = withSharedKeys(plain);
  const pairs: DuplicatePair[] = [];
  for (const [a, b] of await candidatePairs(all)) {
    const [one, other] = [known.get(a.target)!, known.get(b.target)!];
    if (isDistinct(one, other) || isDistinct(other, one)) continue;
    const judged = judgePair(a, b);
    if (judged.verdict === "different") continue;
    const [into, from] = comesFirst(one, other) ? [one, other] : [other, one];
    pairs.push({ verdict: judged.verdict, into: member(into), from: member(from), evidence: judged.evidence }); // prettier-ignore
  }
  const settled = settle(pairs, (target) => known.get(target)!);
  return settled
    .filter((pair) => verdict === undefined || pair.verdict === verdict)
    .sort(byCertainty)
    .slice(0, limit);
}

const member = ({ target, slug, name }: Company): PairMember => ({ target, slug, name });

const isDistinct = ({ distinctFrom }: Company, other: Company): boolean =>
  distinctFrom?.includes(idOf(other.target)) === true;

/**
 * Decides which of two stays: the one that users worked on, then the older one. The same on every
 * node.
 */
function comesFirst(a: Company, b: Company): boolean {
  const [ours, theirs] = [weightOf(a), weightOf(b)];
  if (ours !== theirs) return ours > theirs;
  const [first, second] = [a.texts.foundAt ?? "9", b.texts.foundAt ?? "9"];
  return first === second ? orderKeyOf(a) < orderKeyOf(b) : first < second;
}

/** Ids are hashes: by place, the order does not change with the way they are made. */
const orderKeyOf = ({ texts, target }: Company): string =>
  `${texts.place ?? texts.domain ?? ""} ${target}`;

const weightOf = ({ entries, tags, excluded }: Company): number =>
  entries.length + tags.length + (excluded === undefined ? 0 : 1);

/** Marks chains by name and half a degree; phones and domains with many names are ignored. */
function withSharedKeys(
  all: readonly Omit<ComparedCompany, "isChain">[],
): readonly ComparedCompany[] {
  const names = new Map<string, number>();
  const namesOf = new Map<string, Set<string>>();
  const nameKey = ({ name, point }: Omit<ComparedCompany, "isChain">) =>
    `${name.joined} ${point ? `${Math.floor(point.latitude * 2)} ${Math.floor(point.longitude * 2)}` : ""}`;
  for (const one of all) {
    const key = nameKey(one);
    names.set(key, (names.get(key) ?? 0) + 1);
    for (const shared of [...one.phones, ...(one.domain === undefined ? [] : [one.domain])]) {
      const some = namesOf.get(shared) ?? new Set();
      namesOf.set(shared, some);
      if (some.size <= namesSharedMax) some.add(one.name.joined);
    }
  }
  const isOwn = (key: string) => (namesOf.get(key)?.size ?? 0) <= namesSharedMax;
  return all.map((one) => ({
    ...one,
    phones: one.phones.filter(isOwn),
    domain: one.domain !== undefined && isOwn(one.domain) ? one.domain : undefined,
    // Two sources with one branch each already give the name twice, so a chain needs three.
    isChain: (names.get(nameKey(one)) ?? 0) >= 3,
  }));
}

async function candidatePairs(
  all: readonly ComparedCompany[],
): Promise<readonly (readonly [ComparedCompany, ComparedCompany])[]> {
  const groups = new Map<string, number[]>();
  const put = (key: string, at: number) => {
    const group = groups.get(key);
    if (!group) groups.set(key, [at]);
    else if (group.length <= membersMax) group.push(at);
  };
  for (const [at, one] of all.entries()) {
    for (const phone of one.phones) put(`p ${phone}`, at);
    if (one.domain !== undefined) put(`d ${one.domain}`, at);
    for (const key of spatialKeys(one)) put(key, at);
  }
  const seen = new Set<number>();
  const pairs: (readonly [ComparedCompany, ComparedCompany])[] = [];
  let count = 0;
  for (const group of groups.values()) {
    if (group.length < 2 || group.length > membersMax) continue;
    for (const [index, a] of group.entries()) {
      for (const b of group.slice(index + 1)) {
        const key = Math.min(a, b) * all.length + Math.max(a, b);
        if (a === b || seen.has(key)) continue;
        seen.add(key);
        pairs.push([all[a]!, all[b]!]);
      }
    }
    if (++count % 5_000 === 0) await new Promise<void>(afterTick);
  }
  return pairs;
}

/**
 * A cell and the beginning of a word. Each company is in its own cell and the three nearest ones,
 * so that two neighbours share a cell even across an edge.
 */
function spatialKeys({ point, name }: ComparedCompany): readonly string[] {
  if (!point) return [];
  const [row, column] = [point.latitude * cellsPerDegree, point.longitude * cellsPerDegree];
  const [rows, columns] = [nearestTwo(row), nearestTwo(column)];
  const words = name.telling.length > 0 ? name.telling : name.words;
  const starts = new Set([...words.slice(0, 4), name.joined].map((word) => word.slice(0, 3)));
  return rows.flatMap((one) =>
    columns.flatMap((other) => [...starts].map((start) => `n ${one} ${other} ${start}`)),
  );
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
  companyOf: (target: string) => Company,
): readonly DuplicatePair[] {
  const groupOf = new Map<string, Group>();
  const group = (target: string): Group => {
    let found = groupOf.get(target);
    if (!found) {
      found = { sources: new Set(compared(companyOf(target)).sources), parent: undefined };
      groupOf.set(target, found);
    }
    while (found.parent) found = found.parent;
    return found;
  };
  const joined: DuplicatePair[] = [];
  for (const pair of [...pairs].sort(byCertainty)) {
    if (pair.verdict !== "same") {
      joined.push(pair);
      continue;
    }
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
