import type { Sabotage } from "./sabotage.ts";

const page = "src/records/page/page.test.ts";
const gathering = "src/records/search/gathering-index.test.ts";
const loader = "src/records/adapters/sqlite/index-loader.test.ts";
const held = "src/records/files/held-back.test.ts";
const hand = "src/records/ingest/hand-edit.test.ts";
const model = "src/records/ingest/hand-edit-model.test.ts";
const broken = "src/records/files/broken-files.test.ts";
const folders = "src/records/files/folders.test.ts";
const history = "src/records/change/record-history.test.ts";
const lessons = "src/records/lessons.test.ts";
const catchUp = "src/records/follow/catch-up.test.ts";
const watch = "src/records/ingest/watch.test.ts";
const concurrent = "src/records/concurrent-work.test.ts";
const repeated = "src/records/change/repeated-requests.test.ts";
const tracker = "src/records/follow/position-tracker.test.ts";
const hands = "src/records/files/owner-of.test.ts";
const shape = "src/records/rebuild-shape.test.ts";
const position = "src/ledger/position.test.ts";

const inFiles: readonly Sabotage[] = [
  {
    name: "text that YAML takes for something else stands plain",
    file: "src/records/page/yaml-text.ts",
    find: "(words.test(text) && !meaningful.test(text))",
    replace: "/^[^\\s:#]+$/.test(text)",
    caughtBy: `${page} > render, read, compare`,
  },
  {
    name: "a file counts as ours by its rev alone, whatever else it says",
    file: "src/records/page/front-matter.ts",
    find: "return hashOf(blank) === rev[1];",
    replace: "return hashOf(blank) !== '';",
    caughtBy: `${page} > a letter more or less, anywhere`,
  },
  {
    name: "only the newest render is kept to compare with",
    file: "src/records/page/side-file.ts",
    find: "export const rendersKept = 8;",
    replace: "export const rendersKept = 1;",
    caughtBy: `${hand} > works from each of the last eight renders`,
  },
  {
    name: "an edited file is rewritten, without its comments",
    file: "src/records/render/render-file.ts",
    find: "if (!parsed) return { text, shown, isHandmade: false };",
    replace: "if (shown.size >= 0) return { text, shown, isHandmade: false };",
    caughtBy: `${hand} > comments, order of keys, unknown keys, body and line ends`,
  },
  {
    name: "a key that nobody knows is dropped from an edited file",
    file: "src/records/page/page.ts",
    find: "if (isExtraKey(layout, extra) && isShown(value)) keys.set(extra, value);",
    replace: "if (isExtraKey(layout, extra) && !isShown(value)) keys.set(extra, value);",
    caughtBy: `${hand} > comments, order of keys, unknown keys, body and line ends`,
  },
];

const inEdits: readonly Sabotage[] = [
  {
    name: "an edit is compared with what is known now, not with the render it began with",
    file: "src/records/ingest/ingest-file.ts",
    find: "const base = rev === undefined ? undefined : findBase(side, rev);",
    replace: "const base = rev === undefined ? undefined : newestBase(side);",
    caughtBy: `${hand} > an editor that saves over a newer render takes back nothing`,
  },
  {
    name: "an edit is compared with the newest render, and any history tells",
    file: "src/records/ingest/ingest-file.ts",
    find: "const base = rev === undefined ? undefined : findBase(side, rev);",
    replace: "const base = newestBase(side) ?? (rev ? findBase(side, rev) : undefined);",
    caughtBy: `${model} > hand edits and machine writes in any order`,
  },
  {
    name: "an edit names the newest write as its cause",
    file: "src/records/ingest/hand-edit.ts",
    find: 'changes.push({ target, field, value, seen: before?.reference ?? "" });',
    replace: "changes.push({ target, field, value });",
    caughtBy: `${hand} > names the write that the render had shown`,
  },
  {
    name: "an emptied file deletes everything",
    file: "src/records/ingest/ingest-file.ts",
    find: "bytes.every((byte) => byte === 0)",
    replace: "bytes.some((byte) => byte === 1)",
    caughtBy: `${hand} > an empty file is not an order`,
  },
  {
    name: "what was saved between look and replacement is thrown away",
    file: "src/records/render/render-file.ts",
    find: "if (held && !isEqual(held.bytes, bytes)) {",
    replace: "if (held && held.bytes.length < 0) {",
    caughtBy: `${hand} > saved at any moment of a render`,
  },
  {
    name: "a file that was taken away is not looked at again",
    file: "src/records/files/held-back.ts",
    find: 'const outcome = isClean(copy.bytes) ? "nothing" : await ingest(copy);',
    replace: 'const outcome = resting.has(copy.name) ? "nothing" : await ingest(copy);',
    caughtBy: `${hand} > made while the file is written is never lost`,
  },
  {
    name: "whoever saves reads all copies that rest, each time",
    file: "src/records/files/held-back.ts",
    find: "if (nowMs - reviewedAtMs >= reviewAllMs) return review(ingest);",
    replace: "if (nowMs >= reviewedAtMs) return review(ingest);",
    caughtBy: `${held} > a series of saves`,
  },
  {
    name: "only those who ask look through what others left",
    file: "src/records/files/held-back.ts",
    find: "if (nowMs - reviewedAtMs >= reviewAllMs) return review(ingest);",
    replace: "",
    caughtBy: `${held} > a file that a killed process left there`,
  },
  {
    name: "copies of edited files go at once",
    file: "src/records/files/held-back.ts",
    find: "export const keptForMs = 24 * 3_600_000;",
    replace: "export const keptForMs = 3_600_000;",
    caughtBy: `${hand} > a copy of an edited file is kept for a day`,
  },
  {
    name: "watching waits for an event that may never come",
    file: "src/records/ingest/watch.ts",
    find: "void look(undefined);\n  checkAgain();",
    replace: "void look(undefined);",
    caughtBy: `${watch} > watching without events`,
  },
];

const inChangedHands: readonly Sabotage[] = [
  {
    name: "the text of one record is an edit of whoever has the folder now",
    file: "src/records/files/owner-of.ts",
    find: "if (findBase(side, rev)) return { target: named, side };",
    replace: "",
    caughtBy: `${hands} > an edit that is saved in it afterwards is of the record it names`,
  },
  {
    name: "an id alone makes a text an edit of another record",
    file: "src/records/files/owner-of.ts",
    find: "if (findBase(side, rev)) return { target: named, side };",
    replace: "return { target: named, side };",
    caughtBy: `${hands} > an id without a render of that record is not an edit of it`,
  },
  {
    name: "a copy that was put aside is compared with the newest renders alone",
    file: "src/records/files/held-back.ts",
    find: "if (hasSide(copy)) disk.share(besides(from), sideOf(name));",
    replace: "",
    caughtBy: `${hands} > what it saves counts, however many renders came since`,
  },
  {
    name: "the place in the name of a copy is cut short",
    file: "src/records/files/held-back.ts",
    find: "const placeBytesMax = 150;",
    replace: "const placeBytesMax = 100;",
    caughtBy: `${hands} > so it does for a record of the longest name`,
  },
  {
    name: "what is saved in the folder that a record had before is a copy",
    file: "src/records/files/inspect-folder.ts",
    find: "const isOldPlace = index.bySlug(layout.kind, name) === target;",
    replace: "const isOldPlace = false;",
    caughtBy: `${hands} > what it saves in the folder that the record had before`,
  },
  {
    name: "who links to a record that had to move out is not told",
    file: "src/records/render/render.ts",
    find: "for (const one of [...moved.followers, ...relatives]) followers.add(one);",
    replace: "for (const one of relatives) followers.add(one);",
    caughtBy: `${hands} > people who link to who moved out`,
  },
];

const inBroken: readonly Sabotage[] = [
  {
    name: "a broken file is replaced",
    file: "src/records/render/render-file.ts",
    find: 'if (found?.kind !== "ingested") return { kind: "broken" };',
    replace:
      'if (found?.kind !== "ingested") return { kind: "ingested", ingested: { bytes, parsed: undefined }, edit: { target, fields: [] } };',
    caughtBy: `${broken} > YAML that is none`,
  },
  {
    name: "anchors are followed",
    file: "src/records/page/parse-page.ts",
    find: 'throw new PageFault("it contains a YAML anchor',
    replace: 'if (head === "") throw new PageFault("it contains a YAML anchor',
    caughtBy: `${broken} > an anchor`,
  },
  {
    name: "marks of a merge in the text are taken for text",
    file: "src/records/ingest/ingest-file.ts",
    find: "if (page.body === undefined || !hasConflict(page.body)) return;",
    replace: "if (page.body === undefined || page.body !== '') return;",
    caughtBy: `${broken} > marks of a merge in the body`,
  },
  {
    name: "bytes that are no text are replaced by question marks",
    file: "src/records/page/parse-page.ts",
    find: "fatal: true",
    replace: "fatal: false",
    caughtBy: `${broken} > bytes that are no text`,
  },
];

const inRest: readonly Sabotage[] = [
  {
    name: "who comes first has the folder, whatever the ids",
    file: "src/records/files/folders.ts",
    find: "const isFirst = rivals.every((one) => target < one);",
    replace: "const isFirst = rivals.length === 0;",
    caughtBy: `${folders} > belongs to the smallest id`,
  },
  {
    name: "the old folder of a company with a new name is a dead end",
    file: "src/records/render/render.ts",
    find: "if (await leadOn(indexed)) return false;",
    replace: "",
    caughtBy: `${folders} > a machine's new name for a company`,
  },
  {
    name: "who renames a company leaves it to every node to say where it was",
    file: "src/records/change/change-record.ts",
    find: "changes.push({ target, field: `${aliasPrefix}${old.slug}`, value: true });",
    replace: "",
    caughtBy: `${folders} > a new name moves the folder`,
  },
  {
    name: "merging gives every value the source of who merged",
    file: "src/records/change/merge.ts",
    find: "context.ledger.write({ source: writer, changes: some })",
    replace: "context.ledger.write({ source: writer && source, changes: some })",
    caughtBy: `${folders} > merging keeps what both knew`,
  },
  {
    name: "a past that is not known is guessed",
    file: "src/records/change/record-history.ts",
    find: 'if (causality === "" || references.has(causality)) continue;',
    replace: 'if (causality !== "?" || references.has(causality)) continue;',
    caughtBy: `${history} > what only the archive knows`,
  },
  {
    name: "forgetting leaves the copies that were put aside",
    file: "src/records/change/forget-record.ts",
    find: "heldBack.forget((copy) => isCopyOf(copy, targets, folders));",
    replace: "",
    caughtBy: `${history} > takes facts, files, kept renders and copies`,
  },
  {
    name: "a page's title becomes the name of a company",
    file: "src/records/change/machine-facts.ts",
    find: "return !(field ===",
    replace: "return !(field !== field && field ===",
    caughtBy: `${lessons} > lesson 43`,
  },
  {
    name: "a blank overwrites what was known",
    file: "src/records/change/machine-facts.ts",
    find: 'if (value.trim() === "" || nothing.test(value.trim())) return false;',
    replace: "",
    caughtBy: `${lessons} > lesson 42`,
  },
  {
    name: "the position runs ahead of what is rendered",
    file: "src/records/follow/position-tracker.ts",
    find: "const last = advance(key, known);",
    replace: "const last = datagrams.at(-1)!.number;",
    caughtBy: `${catchUp} > a later write that is rendered first`,
  },
  {
    name: "a position counts what is still on its way to the disk",
    file: "src/ledger/position.ts",
    find: "else if (own) vector.set(own.key, own.number);",
    replace: "",
    caughtBy: `${position} > a write that fails is in no position`,
  },
];

const inOneProcess: readonly Sabotage[] = [
  {
    name: "a company is made without looking at what others wrote",
    file: "src/records/create-records.ts",
    find: "await catchUp(context, { isUnbroken: true });",
    replace: "",
    caughtBy: `${concurrent} > a company that was written past the records`,
  },
  {
    name: "a file that was just held back is thrown away",
    file: "src/records/files/held-back.ts",
    find: "if (!isFresh(copy)) remove(copy);",
    replace: "if (copy) remove(copy);",
    caughtBy: `${concurrent} > a file that was held back just now stays`,
  },
  {
    name: "a position that was reached passes a gap",
    file: "src/records/follow/position-tracker.ts",
    find: "if (first > from) continue;",
    replace: "",
    caughtBy: `${tracker} > a position that was reached`,
  },
  {
    name: "a position stays ahead of an index that could not be written",
    file: "src/records/context.ts",
    find: "index.discard();\n        tracker.restart(storedPosition(stored));",
    replace: "index.discard();",
    caughtBy: `${concurrent} > work that fails in the index`,
  },
  {
    name: "reading all files keeps everyone waiting",
    file: "src/records/ingest/ingest.ts",
    find: "await context.pause({ signal });\n  }\n  if",
    replace: "}\n  if",
    caughtBy: `${concurrent} > ingest of all files`,
  },
  {
    name: "a repeated request takes back what others changed since",
    file: "src/records/change/create.ts",
    find: "if (isOfRequest && found === undefined && isKnown) {",
    replace: "if (isOfRequest && found !== undefined && isKnown) {",
    caughtBy: `${repeated} > create: one company`,
  },
  {
    name: "a copy of a file that is written is not checked",
    file: "src/base/files/readable-database.ts",
    find: "readHead(`${path}${end}`, logHeadLength).equals(before[at]!)",
    replace: "before[at] !== undefined && path !== ''",
    caughtBy: "src/base/files/readable-database.test.ts > a log that is started again",
  },
  {
    name: "a write that changes nothing is never rendered",
    file: "src/records/context.ts",
    find: "|| isBehind(ledger, stored.position());",
    replace: ";",
    caughtBy: `${shape} > who writes what another wrote and did not render`,
  },
  {
    name: "who comes first gets the folder while an index is filled",
    file: "src/records/follow/follow-ledger.ts",
    find: "if (rival === undefined || target < rival) winners.set(wish, target);",
    replace: "if (rival === undefined) winners.set(wish, target);",
    caughtBy: `${shape} > a rebuild keeps the shape`,
  },
  {
    name: "the ledger shows what is not on the disk yet",
    file: "src/ledger/in-flight.ts",
    find: "if (byTarget.size > 0) {",
    replace: "if (byTarget.size < 0) {",
    caughtBy: `src/ledger/in-flight.test.ts > what is on its way to the disk`,
  },
  {
    name: "a repeated write is acknowledged before the first one is on the disk",
    file: "src/ledger/ledger.ts",
    find: "written.length === 0 ? targets : []",
    replace: "written.length < 0 ? targets : []",
    caughtBy: `src/ledger/in-flight.test.ts > a write of what is on its way to the disk`,
  },
];

export const recordsSabotages: readonly Sabotage[] = [
  ...inFiles,
  ...inEdits,
  ...inChangedHands,
  ...inBroken,
  ...inRest,
  ...inOneProcess,
  {
    name: "what another node forgot stays in the file of the index",
    file: "src/records/follow/follow-ledger.ts",
    find: "if (since) context.stored.scrub();",
    replace: "",
    caughtBy:
      "src/records/follow/catch-up.test.ts > what was forgotten elsewhere is scrubbed from the index here",
  },
  {
    name: "a rebuild takes a file that is as we wrote it for one that is up to date",
    file: "src/records/render/render-file.ts",
    find: "if (revIn(composed.text) === seen) {",
    replace: 'if (seen !== "") {',
    caughtBy: `${shape} > a rebuild writes what is new`,
  },
  {
    name: "what was read ahead is rendered, whatever a hand's edit has changed since",
    file: "src/records/context.ts",
    find: "const view = staleViews.has(target) ? undefined : views[at];",
    replace: "const view = views[at];",
    caughtBy: `${catchUp} > an edit that is imported on the way`,
  },
  {
    name: "what is being loaded into the index is not seen while it is filled",
    file: "src/records/search/gathering-index.ts",
    find: "now.records.has(target) ? now : passing.records.has(target) ? passing : undefined;",
    replace: "now.records.has(target) ? now : undefined;",
    caughtBy: `${gathering} > shows what is being loaded`,
  },
  {
    name: "what has changed since it went on its way counts twice",
    file: "src/records/search/gathering-index.ts",
    find: "[...(listOf(passing) ?? [])].filter((target) => !now.records.has(target));",
    replace: "[...(listOf(passing) ?? [])];",
    caughtBy: `${gathering} > shows what is being loaded`,
  },
  {
    name: "an index that could not be filled is put in place",
    file: "src/records/search/gathering-index.ts",
    find: "      await passed;\n      await initialFill?.replacement.commit();",
    replace: "      await passed.catch(() => {});\n      await initialFill?.replacement.commit();",
    caughtBy: `${gathering} > a batch that fails is thrown`,
  },
  {
    name: "names stand as JavaScript sorts them",
    file: "src/records/adapters/sqlite/name-rank.ts",
    find: "if (!hasSurrogate.test(a) && !hasSurrogate.test(b)) return a < b ? -1 : 1;",
    replace: "if (a !== b) return a < b ? -1 : 1;",
    caughtBy: "src/records/adapters/sqlite/name-rank.test.ts > names stand as SQLite sorts them",
  },
  {
    name: "the thread that fills an index outlives it",
    file: "src/records/adapters/sqlite/index-loader.ts",
    find: "await ended?.end();",
    replace: "",
    caughtBy: `${loader} > large batches are applied by a thread`,
  },
  {
    name: "what a thread cannot write is taken for written",
    file: "src/base/process/asked-thread.ts",
    find: "else one.reject(new AppError(reply.error, reply.code, reply.message));",
    replace: "else one.resolve(undefined as never);",
    caughtBy: `${loader} > a batch that the thread cannot write`,
  },
  {
    name: "a rebuild counts what is gone, and what it is told of twice",
    file: "src/records/follow/follow-ledger.ts",
    find: ".filter((view) => !isGone(view));",
    replace: ".filter((view) => view.target !== '');",
    caughtBy: `${catchUp} > a rebuild counts records that are there, each once`,
  },
];
