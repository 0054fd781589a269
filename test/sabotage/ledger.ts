import type { Sabotage } from "./sabotage.ts";

const fold = "src/ledger/fold/fold.test.ts";
const partText = "src/ledger/fold/part-text.test.ts";
const journal = "src/ledger/journal/journal.test.ts";
const ledger = "src/ledger/ledger.test.ts";
const tiers = "src/ledger/tiers/tiers.test.ts";
const repair = "src/ledger/tiers/repair/repair.test.ts";
const lostJournal = "src/ledger/tiers/repair/lost-journal.test.ts";
const autoHub = "src/ledger/tiers/hub/auto-hub.test.ts";
const reopen = "src/ledger/state/reopen.test.ts";
const sqliteState = "src/ledger/adapters/sqlite/sqlite-state.test.ts";
const clock = "src/ledger/clock/stamp.test.ts";
const scan = "src/ledger/datagram/scan-datagrams.test.ts";
const forget = "src/ledger/forget.test.ts";
const usv = "src/usv/usv.test.ts";
const simulation = "test/simulation/ledger-simulation.test.ts";

const inFold: readonly Sabotage[] = [
  {
    name: "the fold drops clocks: the last to arrive wins",
    file: "src/ledger/fold/cell.ts",
    find: "const isLater = !last || compareDatagrams(datagram, last.datagram) > 0;",
    replace: "const isLater = !last || compareDatagrams(datagram, last.datagram) !== 0;",
    caughtBy: `${fold} > commutative and associative`,
  },
  {
    name: "a checkpoint forgets which values were seen",
    file: "src/ledger/fold/part-file.ts",
    find: 'isNamed: role === "W"',
    replace: "isNamed: false",
    caughtBy: `${fold} > O6, lesson 36`,
  },
  {
    name: "a checkpoint forgets the names of what has not arrived",
    file: "src/ledger/fold/part-file.ts",
    find: "cell.names.filter((dot) => !isKnown(dot)).sort(compareText)",
    replace: "cell.names.filter((dot) => !isKnown(dot) && dot === '').sort(compareText)",
    caughtBy: `${fold} > O6, lesson 36`,
  },
  {
    name: "a machine overwrites what a hand wrote",
    file: "src/ledger/fold/lane.ts",
    find: 'if (source.startsWith("hand:")) return lanes.hand;',
    replace: 'if (source.startsWith("hands:")) return lanes.hand;',
    caughtBy: `${fold} > what a user wrote wins over machines`,
  },
  {
    name: "what was forgotten comes back with a late datagram",
    file: "src/ledger/fold/part-state.ts",
    find: "datagram.stamp <= floorOf(fields)!.stamp) return;",
    replace: "datagram.stamp < floorOf(fields)!.stamp.slice(0, 0)) return;",
    caughtBy: `${fold} > sticky: what was there is gone`,
  },
  {
    name: "every field is logged, changed or not",
    file: "src/ledger/changes.ts",
    find: "if (shown === json) return [];",
    replace: 'if (shown === json && field === "") return [];',
    caughtBy: `${ledger} > lesson 35`,
  },
];

const inPartText: readonly Sabotage[] = [
  {
    name: "a target is looked for behind where it begins",
    file: "src/ledger/fold/part-text.ts",
    find: "if (target !== open?.target) {",
    replace: "if (open === undefined) {",
    caughtBy: `${partText} > each target reads as if all of it were decoded`,
  },
  {
    name: "a part that is not in order is believed",
    file: "src/ledger/fold/part-text.ts",
    find: "if (open && target < open.target) throw",
    replace: 'if (open && target === "") throw',
    caughtBy: `${partText} > one that is not in order is refused`,
  },
  {
    name: "of many, those that took others in are read without them",
    file: "src/ledger/replica/read-target.ts",
    find: "return elementsOf(fields).length > 0 ? undefined : viewTarget(target, fields ?? new Map());",
    replace: "return viewTarget(target, fields ?? new Map());",
    caughtBy: `${ledger} > many are read as each alone`,
  },
  {
    name: "what was decoded is not folded any further",
    file: "src/ledger/replica/create-replica.ts",
    find: "foldInto(states, datagram, record);",
    replace: "",
    caughtBy: `${ledger} > lesson 35`,
  },
];

const inState: readonly Sabotage[] = [
  {
    name: "a journal that somebody changed is believed to be what was folded",
    file: "src/ledger/journal/journal-files.ts",
    find: 'changed !== "" && stat.changed !== changed) return false;',
    replace: 'changed !== "" && stat.changed === "") return false;',
    caughtBy: `${reopen} > a journal with other content than was folded`,
  },
  {
    name: "what is dropped after it was folded still counts",
    file: "src/ledger/replica/create-replica.ts",
    find: "if (isSaved) unfolded.add(dot);",
    replace: "",
    caughtBy: `${reopen} > what is dropped after it was saved`,
  },
  {
    name: "staged rows count at once",
    file: "src/ledger/adapters/sqlite/state-tables.ts",
    find: "putAll(batch.staged ?? [], 1);",
    replace: "putAll(batch.staged ?? [], 0);",
    caughtBy: `${sqliteState} > a part is replaced at once`,
  },
];

const inJournal: readonly Sabotage[] = [
  {
    name: "half a commit counts",
    file: "src/ledger/journal/journal-file.ts",
    find: "if (datagram.number < datagram.commit) return;\n    for (const one of open)",
    replace: "for (const one of open)",
    caughtBy: `${journal} > cut at any byte`,
  },
  {
    name: "damage in the middle is taken for a torn tail",
    file: "src/ledger/journal/journal-file.ts",
    find: "if (firstFault) throw damaged(name, goodBytes, firstFault);",
    replace: "if (firstFault) return;",
    caughtBy: `${journal} > damage in front of good datagrams`,
  },
  {
    name: "a failed append leaves its bytes behind",
    file: "src/ledger/journal/journal.ts",
    find: "await cutBack(name).catch(() => {}); // tried again before the next write",
    replace: "",
    caughtBy: `${journal} > a failed append fails all that follow on it`,
  },
  {
    name: "a file is named by the local day, a day late",
    file: "src/ledger/clock/stamp.ts",
    find: "stamp.slice(0, 4) + stamp.slice(5, 7) + stamp.slice(8, 10);",
    replace: "stamp.slice(0, 4) + stamp.slice(5, 7) + String(Number(stamp.slice(8, 10)) + 1);",
    caughtBy: `${clock} > lesson 44`,
  },
  {
    name: "a separator inside a value is written as it is",
    file: "src/usv/write-usv.ts",
    find: "out += text.slice(from, at) + escape;",
    replace: "out += text.slice(from, at);",
    caughtBy: `${usv} > lesson 39`,
  },
];

const inTiers: readonly Sabotage[] = [
  {
    name: "prune after one checkpoint",
    file: "src/ledger/tiers/hub/prune.ts",
    find: "const segments = await pruneSegments(context, older, hasArchive ? floors : undefined);",
    replace:
      "const segments = await pruneSegments(context, newest, hasArchive ? floors : undefined);",
    caughtBy: `${tiers} > takes only what two checkpoints cover`,
  },
  {
    name: "prune without a grace period",
    file: "src/ledger/tiers/hub/prune.ts",
    find: "nowMs() - older.madeAtMs < graceMs",
    replace: "nowMs() - older.madeAtMs < graceMs * 0",
    caughtBy: `${tiers} > takes only what two checkpoints cover`,
  },
  {
    name: "compaction deletes every segment there is",
    file: "src/ledger/tiers/hub/prune.ts",
    find: "if (!segment || segment.first > (vector.get(segment.session) ?? 0)) continue;",
    replace: "if (!segment || vector.size < 0) continue;",
    caughtBy: `${tiers} > takes only what two checkpoints cover`,
  },
  {
    name: "a segment is believed though the boundary has passed its name",
    file: "src/ledger/tiers/publish.ts",
    find: "first = (covered >= first ? covered : end) + 1;",
    replace: "first = end + 1;",
    caughtBy: `${tiers} > lesson 33, O5`,
  },
  {
    name: "a hub of an earlier epoch goes on",
    file: "src/ledger/tiers/hub/hub-fold.ts",
    find: 'if (newest && newest.epoch > epoch) return { status: "lost" };',
    replace: 'if (newest && newest.epoch < 0) return { status: "lost" };',
    caughtBy: `${tiers} > O4: a hub whose lease was taken`,
  },
  {
    name: "heads are believed: nobody looks beyond them",
    file: "src/ledger/tiers/gather.ts",
    find: "if (known >= number && isComplete) return;",
    replace: "if (known >= number) return;",
    caughtBy: `${tiers} > heads are hints`,
  },
  {
    name: "stamps that are ahead are published",
    file: "src/ledger/tiers/publish.ts",
    find: "if (await areAhead(core, waiting)) return",
    replace: "if (waiting.length < 0) return",
    caughtBy: `${tiers} > lesson 46: stamps that were ahead`,
  },
  {
    name: "a cloned disk speaks for the first one",
    file: "src/ledger/tiers/head.ts",
    find: 'if (isAnother(found, options)) return "cloned";',
    replace: "",
    caughtBy: `${tiers} > lesson 47`,
  },
  {
    name: "a checkpoint drops what is ahead of its time",
    file: "src/ledger/tiers/hub/hub-fold.ts",
    find: "heldBack: [...state.heldBack().values()],",
    replace: "heldBack: [],",
    caughtBy: `${tiers} > what is ahead waits`,
  },
  {
    name: "with a new checkpoint, what is known beyond it is lost from the state",
    file: "src/ledger/state/stage-base.ts",
    find: "for (const [key, to] of Object.entries(head.vector)) {",
    replace: "for (const [key, to] of Object.entries(head.vector).slice(0, 0)) {",
    caughtBy: `${reopen} > a checkpoint is folded into what was saved`,
  },
  {
    name: "a datagram counts as published before its head stands, seen by the simulation",
    file: "src/ledger/tiers/publish.ts",
    find: '  if ((await writeHead()) === "cloned") return { status: "must-move", reason: "cloned" };\n  await core.saveIdentity({\n    published',
    replace: "  await core.saveIdentity({\n    published",
    caughtBy: `${simulation} > forty seeds keep O4`,
  },
];

const inRepair: readonly Sabotage[] = [
  {
    name: "a segment that vanished is not put back, seen by the simulation",
    file: "src/ledger/tiers/repair/repair.ts",
    find: "const mended = await mend({ core, bucket, faults: now });",
    replace: "const mended = new Set<SegmentFault>();",
    caughtBy: `${simulation} > forty seeds keep O4`,
  },
  {
    name: "a segment that is sent again ends elsewhere",
    file: "src/ledger/tiers/publish.ts",
    find: "cutSegment(left, planned?.last)",
    replace: "cutSegment(left)",
    caughtBy: `${repair} > a crash before the node's file says`,
  },
  {
    name: "segments that a hub deleted are created again",
    file: "src/ledger/tiers/repair/repair.ts",
    find: "const after = Math.max(range.after, lastKnown(boundary, key));",
    replace: "const { after } = range;",
    caughtBy: `${repair} > lesson 33: segments that a hub deletes`,
  },
  {
    name: "a segment stays that the boundary passed while it was put back",
    file: "src/ledger/tiers/repair/repair.ts",
    find: "if (first <= lastKnown(boundary, key)) await bucket.delete(",
    replace: "if (first < 0) await bucket.delete(",
    caughtBy: `${repair} > lesson 33: if the boundary passes a segment`,
  },
  {
    name: "a sound segment of another disk is replaced",
    file: "src/ledger/tiers/repair/examine-session.ts",
    find: "if (journal.length > 0 && !isSameContent(datagrams, journal)) {",
    replace: "if (journal.length < 0) {",
    caughtBy: `${repair} > one that was cut short is replaced`,
  },
  {
    name: "own segments are listed with each sync",
    file: "src/ledger/tiers/sync.ts",
    find: "return agoMs >= repairMs || agoMs < 0;",
    replace: "return agoMs >= 0;",
    caughtBy: "src/ledger/tiers/repair/repair-cost.test.ts > one listing a day",
  },
];

const inBytes: readonly Sabotage[] = [
  {
    name: "a datagram is believed though its checksum does not match",
    file: "src/ledger/datagram/scan-datagrams.ts",
    find: "if (!isChecksumText(",
    replace: "if (false && !isChecksumText(",
    caughtBy: `${tiers} > a segment that is damaged stops its session alone`,
  },
  {
    name: "a segment that was cut short is taken as far as it goes",
    file: "src/ledger/tiers/segment.ts",
    find: 'if (end < body.byteLength) throw broken(name, "it ends in the middle of a datagram");',
    replace: "",
    caughtBy: `${tiers} > a segment that is damaged stops its session alone`,
  },
  {
    name: "places in the text are taken for places in other text",
    file: "src/ledger/datagram/scan-datagrams.ts",
    find: 'isPlain ? text.slice(from, to) : bytes.toString("utf8", from, to);',
    replace: "isPlain ? text.slice(from, to) : text.slice(from, to);",
    caughtBy: `${scan} > any datagram is read from its bytes as it was written`,
  },
  {
    name: "a journal file goes though not all in it is covered",
    file: "src/ledger/journal/journal.ts",
    find: "if (!last.every(([session, number]) => isCovered({ node, session, number }))) return;",
    replace: "if (!last.some(([session, number]) => isCovered({ node, session, number }))) return;",
    caughtBy: `${journal} > prune removes a file only when all of it is covered`,
  },
];

const inForget: readonly Sabotage[] = [
  {
    name: "the archive keeps what was forgotten",
    file: "src/ledger/tiers/hub/scrub.ts",
    find: "const answer = await bucket.putIfMatch(key, clean, etag);",
    replace: "const answer = { etag };",
    caughtBy: `${forget} > checkpoint, prune and archive lose it too`,
  },
  {
    name: "the journal keeps what was forgotten",
    file: "src/ledger/floors.ts",
    find: "if (floor !== undefined && stamp <= floor) return true;",
    replace: "if (floor !== undefined && stamp < floor.slice(0, 4)) return true;",
    caughtBy: `${forget} > takes it out of the journal`,
  },
  {
    name: "an unforgotten target is still refused to imports",
    file: "src/ledger/forget.ts",
    find: "...hashes.map((hash) => `${hashPrefix}${hash}`)];",
    replace: "];",
    caughtBy: `${forget} > crawls and imports find out`,
  },
];

const inHistory: readonly Sabotage[] = [
  {
    name: "lost history: a node writes though its own journal is missing",
    file: "src/ledger/ledger.ts",
    find: 'requireHistory("nothing was written");',
    replace: "",
    caughtBy: `${lostJournal} > : the next sync fetches what was published, with no checkpoint at all`,
  },
  {
    name: "lost history: only the beginning of a damaged file is kept",
    file: "src/ledger/journal/journal-file.ts",
    find: "    } catch {\n      open = [];\n      return;",
    replace: "    } catch {\n      open = [];\n      throw new Error();",
    caughtBy: `${journal} > a damaged file is moved away`,
  },
  {
    name: "lost history: what stands behind a hole is published",
    file: "src/ledger/open-core.ts",
    find: "durable : number);",
    replace: "durable : journal.lastOf(key));",
    caughtBy: `${lostJournal} > a push before that sends nothing`,
  },
  {
    name: "a hub without the rights takes the lease",
    file: "src/ledger/tiers/hub/auto-hub.ts",
    find: "if (!(await hasRights())) return;",
    replace: "",
    caughtBy: `${autoHub} > a node without the rights`,
  },
];

export const ledgerSabotages: readonly Sabotage[] = [
  ...inFold,
  ...inPartText,
  ...inState,
  ...inJournal,
  ...inTiers,
  ...inRepair,
  ...inHistory,
  ...inBytes,
  ...inForget,
];
