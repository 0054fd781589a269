import type { TargetView } from "../../ledger/index.ts";
import { folderOf } from "../files/folders.ts";
import { revIn, writePage } from "../page/front-matter.ts";
import { recordFile, type RecordLayout } from "../files/layout.ts";
import { linkTo } from "../page/links.ts";
import { pageOf, type Links, type PageContent } from "../page/page.ts";
import { parsePage } from "../page/parse-page.ts";
import { openRecordFiles, type RecordFiles } from "../files/record-files.ts";
import type { Indexed, RecordProblem } from "../search/record-index.ts";
import type { RecordPage, RecordQuery } from "../search/record-search.ts";
import { readFolders, type FolderState } from "./check-files.ts";
import { checkValues } from "./check-values.ts";
import type { RecordFinding } from "./finding.ts";

/** The parts of a node that a check reads. */
export interface CheckedNode {
  readonly ledger: { readAll(targets: readonly string[]): Promise<readonly TargetView[]> };
  readonly records: {
    find(target: string): Promise<Indexed | undefined>;
    fileOf(target: string): Promise<string | undefined>;
    search(query: RecordQuery): Promise<RecordPage>;
    problems(): Promise<readonly RecordProblem[]>;
  };
}

export interface CheckOptions {
  /** The data folder. */
  readonly folder: string;
  readonly node: CheckedNode;
  readonly nowMs: number;
  readonly onProgress?: (checked: { readonly done: number }) => void;
  readonly signal?: AbortSignal;
}

export interface Checked {
  readonly companies: number;
  readonly people: number;
  /** Files that were edited by hand and not ingested yet, or are new: these are not errors. */
  readonly edited: readonly string[];
  /** Files that are missing, or differ from the stored data. */
  readonly outdated: readonly RecordFinding[];
  /** All other errors. At most `findingsMax`. */
  readonly problems: readonly RecordFinding[];
  /** True if there are more than `findingsMax` of one kind. */
  readonly isCut: boolean;
}

/** A longer list would not be useful; another repair continues with the rest. */
export const findingsMax = 10_000;
const batchSize = 200;

/** Reads every record and every file of a record, and changes nothing. */
export async function checkRecords(options: CheckOptions): Promise<Checked> {
  const { folder, node, onProgress = () => {}, signal } = options;
  const files = openRecordFiles(folder);
  const [edited, outdated, problems] = [
    limited<string>(),
    limited<RecordFinding>(),
    limited<RecordFinding>(),
  ];
  let done = 0;
  const progress = (count: number) => {
    signal?.throwIfAborted();
    onProgress({ done: (done += count) });
  };
  for (const batch of batches(readFolders(files))) {
    for (const state of batch) {
      edited.push(...state.edited);
      problems.push(...state.findings);
    }
    const found = await comparePages(files, node, batch);
    edited.push(...found.renamed);
    outdated.push(...found.outdated);
    problems.push(...found.problems);
    progress(batch.length);
  }
  const count = { company: 0, person: 0 };
  for await (const batch of recordBatches(node)) {
    for (const one of batch) count[one.kind] += 1;
    outdated.push(...missingFiles(files, batch));
    problems.push(...(await checkStored(node, batch, options.nowMs)));
    progress(batch.length);
  }
  const known = new Set(problems.all.map(({ path }) => path));
  for (const one of await node.records.problems()) {
    if (!known.has(one.path)) problems.push(ofProblem(files, one));
    known.add(one.path);
  }
  return {
    companies: count.company,
    people: count.person,
    edited: edited.all.filter((path) => !known.has(path)),
    outdated: outdated.all,
    problems: problems.all,
    isCut: edited.isCut() || outdated.isCut() || problems.isCut(),
  };
}

function limited<T>() {
  const all: T[] = [];
  let isCut = false;
  return {
    all: all as readonly T[],
    isCut: () => isCut,
    push(...more: readonly T[]) {
      for (const one of more) {
        if (all.length < findingsMax) all.push(one);
        else isCut = true;
      }
    },
  };
}

function* batches(states: Iterable<FolderState>): Generator<readonly FolderState[]> {
  let batch: FolderState[] = [];
  for (const state of states) {
    if (batch.push(state) < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function* recordBatches({ records }: CheckedNode): AsyncGenerator<readonly Indexed[]> {
  for (const kind of ["company", "person"] as const) {
    let after: string | undefined;
    do {
      const page = await records.search({ kind, limit: batchSize, ...(after && { after }) });
      yield page.rows;
      after = page.next;
    } while (after !== undefined);
  }
}

const recordOf = (one: Indexed) => (one.kind === "company" ? one.company : one.person);

function missingFiles(files: RecordFiles, batch: readonly Indexed[]): readonly RecordFinding[] {
  return batch.flatMap((one) => {
    const { slug, target } = recordOf(one);
    const folder = folderOf(one.kind, slug);
    const path = `${folder}/${recordFile}`;
    const bytes = files.read(path);
    if ((bytes && bytes.length > 0) || files.fault(path)) return [];
    const reason = "the file is missing";
    return [{ kind: "file", path, target, reason, repair: { kind: "render", folder } }];
  });
}

/** Checks stored values, and links to other records. */
async function checkStored(
  node: CheckedNode,
  batch: readonly Indexed[],
  nowMs: number,
): Promise<readonly RecordFinding[]> {
  const findings: RecordFinding[] = [];
  const views = await node.ledger.readAll(batch.map((one) => recordOf(one).target));
  for (const [at, view] of views.entries()) {
    const indexed = batch[at]!;
    const { target } = view;
    const path = `${folderOf(indexed.kind, recordOf(indexed).slug)}/${recordFile}`;
    for (const one of checkValues(view, nowMs)) findings.push({ ...one, path, target });
    for (const { field, value } of view.fields) {
      if (!isLink(view.target, field) || (await node.records.find(field))) continue;
      findings.push({ ...(await deadLink(node, { view, field, value })), path, target });
    }
  }
  return findings;
}

/** A company links to people, and a person to companies. */
const isLink = (target: string, field: string): boolean =>
  field.startsWith(target.startsWith("company/") ? "person/" : "company/");

async function deadLink(
  { ledger, records }: CheckedNode,
  link: { readonly view: TargetView; readonly field: string; readonly value: unknown },
): Promise<Omit<RecordFinding, "path" | "target">> {
  const { view, field, value } = link;
  const { target } = view;
  const reason = `${field} is a link to a record that does not exist`;
  const [linked] = await ledger.readAll([field]);
  const into = linked?.mergedInto;
  if (into === undefined || !(await records.find(into))) {
    return { kind: "reference", field, reason, repair: { kind: "move value", value } };
  }
  const isThere = view.fields.some((one) => one.field === into);
  const changes = [
    ...(isThere ? [] : [{ target, field: into, value }]),
    { target, field, unset: true as const },
  ];
  const words = `${field} was merged into ${into}: the link is to the old record`;
  return { kind: "reference", field, reason: words, repair: { kind: "write", changes } };
}

interface Compared {
  readonly renamed: readonly string[];
  readonly outdated: readonly RecordFinding[];
  readonly problems: readonly RecordFinding[];
}

/** Checks if unedited renders still match the stored data. */
async function comparePages(
  files: RecordFiles,
  node: CheckedNode,
  batch: readonly FolderState[],
): Promise<Compared> {
  const renamed: string[] = [];
  const [outdated, problems]: [RecordFinding[], RecordFinding[]] = [[], []];
  const pages = batch.flatMap(({ page, folder, layout }) => {
    const isOurs = page?.isAsWritten === true && !page.text.startsWith("---\nmovedTo:");
    return isOurs ? [{ page, folder, layout, target: `${layout.kind}/${page.id}` }] : [];
  });
  const views = await node.ledger.readAll(pages.map(({ target }) => target));
  for (const [at, { page, folder, layout, target }] of pages.entries()) {
    const path = `${folder}/${recordFile}`;
    const own = await node.records.fileOf(target);
    const repair = { kind: "move file", folder } as const;
    if (own === undefined) {
      const reason = `its id (${page.id}) is not known here: remove id and rev to make it a new one`;
      problems.push({ kind: "file", path, reason, repair });
    } else if (own !== path && files.has(own)) {
      const reason = `it is a copy of ${own}: remove id and rev to make it a new one`;
      problems.push({ kind: "file", path, target, reason, repair });
    } else if (own !== path) {
      renamed.push(path);
    } else if (!(await saysTheSame(node, layout, views[at]!, page))) {
      const reason = "the file differs from the stored data";
      outdated.push({ kind: "file", path, target, reason, repair: { kind: "render", folder } });
    }
  }
  return { renamed, outdated, problems };
}

async function saysTheSame(
  node: CheckedNode,
  layout: RecordLayout,
  view: TargetView,
  page: NonNullable<FolderState["page"]>,
): Promise<boolean> {
  const text = writePage(pageOf(layout, view, await linksOf(node, view)), page.id);
  if (revIn(text) === revIn(page.text)) return true;
  // A user changed the order of the file, or added comments.
  const stored = parsePage(layout, Buffer.from(text)).page;
  return contentOf(stored) === contentOf(page.parse().page);
}

const contentOf = ({ keys, body }: PageContent): string =>
  JSON.stringify([[...keys].toSorted(([a], [b]) => (a < b ? -1 : 1)), body ?? ""], (_, value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string")
      ? (value as readonly string[]).toSorted()
      : (value as unknown),
  );

async function linksOf({ records }: CheckedNode, view: TargetView): Promise<Links> {
  const texts = new Map<string, string>();
  for (const { field } of view.fields) {
    const found = isLink(view.target, field) ? await records.find(field) : undefined;
    if (found) texts.set(field, linkTo(found));
  }
  return { textOf: (target) => texts.get(target) ?? target, targetOf: () => undefined };
}

/** The problem that was recorded when the file was read. */
function ofProblem(files: RecordFiles, { path, target, reason }: RecordProblem): RecordFinding {
  const canMove = path.endsWith(".md") && files.read(path) !== undefined;
  const [folder, name] = path.split("/");
  const repair = { kind: "move file", folder: `${folder}/${name}` } as const;
  return { kind: "file", path, target, reason, ...(canMove && { repair }) };
}
