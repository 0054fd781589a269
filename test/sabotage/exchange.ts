import type { Sabotage } from "./sabotage.ts";

const exchange = "src/ledger/exchange/exchange.test.ts";
const beside = "src/ledger/exchange/exchange-bucket.test.ts";
const hostile = "src/ledger/exchange/hostile-records.test.ts";
const synced = "src/node/owner/keep-synced.test.ts";

const inExchange: readonly Sabotage[] = [
  {
    name: "what is not on the disk yet is told to others",
    file: "src/ledger/replica/advertised.ts",
    find: "if (own) limit(own.key, own.durable);",
    replace: "",
    caughtBy: `${exchange} > followers get what was written`,
  },
  {
    name: "half a commit is used",
    file: "src/ledger/exchange/open-commits.ts",
    find: "all.datagrams.findLastIndex(({ number, commit }) => number === commit) + 1",
    replace: "all.datagrams.length",
    caughtBy: `${exchange} > cut anywhere, a commit is used whole or not at all`,
  },
  {
    name: "a range beyond a hole is kept",
    file: "src/ledger/exchange/open-commits.ts",
    find: "if (from > entry.last + 1) return;",
    replace: "",
    caughtBy: `${exchange} > of what is beyond a hole nothing is kept`,
  },
  {
    name: "commits that never end fill the memory",
    file: "src/ledger/exchange/open-commits.ts",
    find: "if (entry.bytes > openBytesMax) {",
    replace: "if (entry.bytes > 100 * openBytesMax) {",
    caughtBy: `${hostile} > commits that never end`,
  },
  {
    name: "two copies of one process write as one",
    file: "src/ledger/exchange/exchange.ts",
    find: "if (origin === `${core.identity().node}/${core.session()}`) throw twice(origin);",
    replace: "",
    caughtBy: `${exchange} > another who writes as this very process is refused`,
  },
  {
    name: "what comes from others is never ahead of its time",
    file: "src/ledger/replica/incoming.ts",
    find: "{ nowMs: nowMs() }",
    replace: "{ nowMs: nowMs() * 2 }",
    caughtBy: `${exchange} > lesson 46`,
  },
  {
    name: "each that comes is synced to the disk alone",
    file: "src/ledger/replica/incoming.ts",
    find: "const group = waiting;\n      waiting = [];",
    replace: "const group = waiting.splice(0, 1);",
    caughtBy: `${exchange} > a thousand that come one by one`,
  },
  {
    name: "what comes by the bucket and by gossip at once is written twice",
    file: "src/ledger/replica/incoming.ts",
    find: "if (datagram.number <= known) return false;",
    replace: "",
    caughtBy: `${beside} > what came by the bucket and by others at once`,
  },
];

const besideBucket: readonly Sabotage[] = [
  {
    name: "a node tells of its writes before it knows its name and the time",
    file: "src/ledger/open-core.ts",
    find: "identity.sessions.length > 0 && (!isSettled || isAhead)",
    replace: "identity.sessions.length > 0 && !isSettled && isAhead",
    caughtBy: `${beside} > lessons 46, 47`,
  },
  {
    name: "what was re-stamped is one's own again when it comes back",
    file: "src/ledger/node-file.ts",
    find: "movedAway.length > 0 && isIn(movedAway, datagram)",
    replace: "movedAway.length < 0 && isIn(movedAway, datagram)",
    caughtBy: `${beside} > re-stamped since, is not published again and again`,
  },
  {
    name: "one's own lost writes that come back do not go to the bucket",
    file: "src/ledger/open-core.ts",
    find: "if (!key.startsWith(`${identity.node}/`)) continue;",
    replace: "if (key !== `${identity.node}/${session}`) continue;",
    caughtBy: `${beside} > a disk that was set back`,
  },
  {
    name: "what others may not know yet is handed out",
    file: "src/ledger/exchange/exchange.ts",
    find: "Math.min(to, core.advertised().get(origin) ?? 0)",
    replace: "Math.min(to, core.replica().vector().get(origin) ?? 0)",
    caughtBy: `${beside} > lessons 46, 47`,
  },
];

const againstHostile: readonly Sabotage[] = [
  {
    name: "a record may say another session or number than was claimed",
    file: "src/ledger/exchange/decode-range.ts",
    find: "if (sessionKey(datagram) !== origin || datagram.number !== number) {",
    replace: "if (sessionKey(datagram) === origin && datagram.number !== number && number < 0) {",
    caughtBy: `${hostile} > of another session`,
  },
  {
    name: "names that would be paths are taken",
    file: "src/ledger/exchange/decode-range.ts",
    find: "  checkTarget(target);\n",
    replace: "",
    caughtBy: `${hostile} > lesson 45`,
  },
  {
    name: "the same in other bytes is taken",
    file: "src/ledger/exchange/decode-range.ts",
    find: "if (encodeDatagram(datagram) !== text)",
    replace: "if (encodeDatagram(datagram) === '')",
    caughtBy: `${hostile} > a right checksum over another way`,
  },
];

const inApp: readonly Sabotage[] = [
  {
    name: "a node at rest asks its bucket all the time",
    file: "src/node/owner/keep-synced.ts",
    find: "isNews || isFree ? syncMsMin",
    replace: "isNews || !isFree ? syncMsMin",
    caughtBy: `${synced} > at rest it costs cents a month`,
  },
  {
    name: "every second's writes are a segment of their own",
    file: "src/node/owner/keep-synced.ts",
    find: "unpublished() > 0 && nowMs - pushedAtMs >= syncMsMin",
    replace: "unpublished() > 0 && nowMs >= pushedAtMs",
    caughtBy: `${synced} > own writes go up every ten seconds at most`,
  },
  {
    name: "a node that stops keeps its last writes to itself",
    file: "src/node/owner/keep-synced.ts",
    find: "if (!isFailing && unpublished() > 0)",
    replace: "if (isFailing && unpublished() > 0)",
    caughtBy: `${synced} > own writes go up every ten seconds at most`,
  },
];

/** Known-wrong variants of how ledger, processes and gossip are joined. */
export const exchangeSabotages: readonly Sabotage[] = [
  ...inExchange,
  ...besideBucket,
  ...againstHostile,

  ...inApp,
];
