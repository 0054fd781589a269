import type { Sabotage } from "./sabotage.ts";

const desired = "src/fleet/desired-state.test.ts";
const follower = "src/fleet/follower.test.ts";
const give = "src/fleet/give-command.test.ts";
const beat = "src/fleet/heartbeat.test.ts";
const roster = "src/fleet/roster.test.ts";
const drift = "src/fleet/drift.test.ts";
const sender = "src/fleet/log-sender.test.ts";
const head = "src/ledger/tiers/head.test.ts";
const pool = "src/app/work/process-pool.test.ts";
const attention = "src/app/status/attention.test.ts";
const fields = "src/campaign/wanted-fields.test.ts";
const kept = "src/base/kept-log.test.ts";
const rest = "src/node/at-rest.test.ts";
const wrappers = "src/bucket/bucket-wrappers.test.ts";
const away = "test/e2e/bucket-away.test.ts";
const processes = "test/e2e/node-processes.test.ts";
const watching = "test/e2e/watch-cli.test.ts";

/** Known-wrong variants of what steers a fleet and shows how it is. */
export const fleetSabotages: readonly Sabotage[] = [
  {
    name: "what was set for one node stays in force when all are told otherwise",
    file: "src/fleet/desired-state.ts",
    find: "return !general || isNewer(entry, general);",
    replace: "return true;",
    caughtBy: `${desired} > of one node or of all; what was said last counts`,
  },
  {
    name: "of two entries the one that came last counts",
    file: "src/fleet/desired-state.ts",
    find: "if (!known || isNewer(entry, known)) own[key] = entry;",
    replace: "own[key] = entry;",
    caughtBy: `${desired} > is the same by whichever way, in whichever order and however often it comes`,
  },
  {
    name: "equal revisions of two writers are not ordered",
    file: "src/fleet/desired-state.ts",
    find: "return textOf(a) > textOf(b);",
    replace: "return false;",
    caughtBy: `${desired} > is the same by whichever way, in whichever order and however often it comes`,
  },
  {
    name: "a scope may be anything, also a path",
    file: "src/fleet/desired-format.ts",
    find: "z.string().regex(/^(?:all|[0-9a-z]{13})$/)",
    replace: "z.string()",
    caughtBy: `${desired} > a hint that does not fit into a packet says the revision alone`,
  },
  {
    name: "a count of workers is not checked",
    file: "src/fleet/assignments.ts",
    find: '(value === "0" || (hasRange && isGood))',
    replace: '(value !== "0" || (hasRange && isGood))',
    caughtBy: `${desired} > is refused, and it says what to write`,
  },
  {
    name: "a hint with a hole before it is taken as all there is",
    file: "src/fleet/follower.ts",
    find: "if (hint.since <= desired.revision && Object.keys(hint.scopes).length > 0) {",
    replace: "if (Object.keys(hint.scopes).length > 0) {",
    caughtBy: `${follower} > a hint with a hole before it is not acknowledged`,
  },
  {
    name: "nobody is told what a node has learnt",
    file: "src/fleet/follower.ts",
    find: "if (hasBegun && desired.revision > before.revision) {",
    replace: "if (false as boolean) {",
    caughtBy: `${follower} > lesson 25: what one node says the others hear, and act on at once`,
  },
  {
    name: "what failed is never tried again",
    file: "src/fleet/follower.ts",
    find: 'if (!isApplied) arm("again", retryMs, () => inTurn(follow));',
    replace: "",
    caughtBy: `${follower} > what failed is acknowledged as failed, tried again each minute, and then acknowledged`,
  },
  {
    name: "what was wanted is forgotten with the process",
    file: "src/fleet/follower.ts",
    find: "if (kept) await inTurn(() => take(kept));",
    replace: "void kept;",
    caughtBy: `${follower} > what was wanted is kept over a restart without a network, and counts before work begins`,
  },
  {
    name: "a command takes effect before it stands in the ledger",
    file: "src/fleet/give-command.ts",
    find: "  await auditCommand(ledger, planned, planned.revision);\n",
    replace: "",
    caughtBy: `${give} > B11: a command stands in the ledger before anybody can follow it`,
  },
  {
    name: "a look transfers the object each time",
    file: "src/fleet/desired-object.ts",
    find: "key: desiredKey, isSticky: true }",
    replace: "key: desiredKey, isSticky: false }",
    caughtBy: `${follower} > a node that looks and finds nothing new costs one conditional GET`,
  },
  {
    name: "a heartbeat may be larger than a packet",
    file: "src/fleet/heartbeat.ts",
    find: "if (bytes.byteLength <= heartbeatBytesMax) return bytes;",
    replace: "return bytes;",
    caughtBy: `${beat} > whatever a node has to say fits into a packet, and is a heartbeat`,
  },
  {
    name: "a node that is stopped does not say so",
    file: "src/fleet/heartbeat-sender.ts",
    find: 'isLast ? { ...now, state: "stopped" } : now',
    replace: "isLast ? now : now",
    caughtBy: `${beat} > once a minute by gossip and in the head, one write each`,
  },
  {
    name: "the older of two heartbeats counts",
    file: "src/fleet/roster.ts",
    find: "a.atMs >= b.atMs ? a : b",
    replace: "a.atMs >= b.atMs ? b : a",
    caughtBy: `${roster} > all that bucket, peers and this machine know`,
  },
  {
    name: "a node that stopped counts as there",
    file: "src/fleet/roster.ts",
    find: 'nowMs - lastSeenMs < missedMs && beat?.state !== "stopped"',
    replace: "nowMs - lastSeenMs < missedMs",
    caughtBy: `${roster} > a node that said that it stops is not there`,
  },
  {
    name: "drift counts sessions, not datagrams",
    file: "src/fleet/drift.ts",
    find: "count += Math.max(0, number - (b.get(key) ?? 0));",
    replace: "count += number > (b.get(key) ?? 0) ? 1 : 0;",
    caughtBy: `${drift} > E5: by gossip, exactly how many datagrams each lacks of the other`,
  },
  {
    name: "log lines are sent though nothing is new",
    file: "src/fleet/log-sender.ts",
    find: 'if (mark === sent || mark === "") return;',
    replace: 'if (mark === "") return;',
    caughtBy: `${sender} > at most once a minute, and only when there is something new`,
  },
  {
    name: "who reads along makes a node send for ever",
    file: "src/fleet/log-sender.ts",
    find: "untilMs = Math.min(wantedMs, untilMsMax);",
    replace: "untilMs = wantedMs;",
    caughtBy: `${sender} > at once and every two seconds while somebody reads along, but not for ever`,
  },
  {
    name: "a head for a segment drops what the node said of itself",
    file: "src/ledger/tiers/head.ts",
    find: "const head = { ...known.said, ...content, sessions, nonce };",
    replace: "const head = { ...content, sessions, nonce };",
    caughtBy: `${head} > what was said stays with heads that are written for segments`,
  },
  {
    name: "a life that only beats is not known to the next one, which takes it for a clone's",
    file: "src/ledger/tiers/publish.ts",
    find: "if (!sessions.includes(mine)) await core.saveIdentity({ sessions: [...sessions, mine] });",
    replace: "void sessions.includes(mine);",
    caughtBy: `${head} > a beat takes nothing back of how far a session is, and the next life is no clone`,
  },
  {
    name: "a kind that is wanted is still done by those that do all",
    file: "src/app/work/pools.ts",
    find: "if (!pool.kinds) return [{ ...pool, except: [...workers.keys()].sort() }];",
    replace: "if (!pool.kinds) return [pool];",
    caughtBy: `${pool} > a kind that is wanted has a pool of its own, and no other does it`,
  },
  {
    name: "work begins before it is known what is wanted",
    file: "src/app/work/process-pool.ts",
    find: "if (hasBegun) supervisor.setSlots(",
    replace: "supervisor.setSlots(",
    caughtBy: `${pool} > nothing is started before what is wanted is known`,
  },
  {
    name: "a node that was told to leave ends again whenever it is started",
    file: "src/app/work/process-pool.ts",
    find: 'if (hasBegun && (next.state === "drained" || held)) void leave();',
    replace: 'if (next.state === "drained") void leave();',
    caughtBy: `${pool} > told to leave, it does when nothing is at work; started again it waits to be wanted`,
  },
  {
    name: "drift of a moment is an alarm",
    file: "src/app/status/attention.ts",
    find: "const driftSecondsMax = 120;",
    replace: "const driftSecondsMax = 1;",
    caughtBy: `${attention} > what passes by itself is no alarm`,
  },
  {
    name: "desired fields of a campaign are not checked before they count",
    file: "src/campaign/campaign-folder.ts",
    find: "      await load(name, fields);\n",
    replace: "",
    caughtBy: `${fields} > what makes no sense is told, and nothing of it is done`,
  },
  {
    name: "a password inside an address is logged",
    file: "src/base/log-fields.ts",
    find: 'if (typeof value === "string") return redactText(value);',
    replace: "",
    caughtBy: `${kept} > B27: a logger's lines are kept without secrets, also those inside an address`,
  },
  {
    name: "a desired state is looked at every second",
    file: "src/fleet/desired-sources.ts",
    find: "const bucketEveryMs = 13_000;",
    replace: "const bucketEveryMs = 1_000;",
    caughtBy: `${rest} > B20: a node at rest costs at most $0.50 a month in all`,
  },
  {
    name: "status --watch looks once and shows that for ever",
    file: "src/cli/commands/status.ts",
    find: "    do {\n      const found = await reader.read();",
    replace: "    const found = await reader.read();\n    do {",
    caughtBy: `${watching} > status --watch shows what changes, until Ctrl-C`,
  },
  {
    name: "status --watch does not hear that it should end",
    file: "src/cli/commands/status.ts",
    find: "} while (await goesOnAfter(clock, everyMs, signal));",
    replace:
      "} while (await goesOnAfter(clock, everyMs, new AbortController().signal));\n    void signal;",
    caughtBy: `${watching} > status --watch ends quietly when nobody reads any more`,
  },
  {
    name: "logs --follow says all of it again each time",
    file: "src/cli/commands/logs.ts",
    find: "!known.has(one) && isLine(one)",
    replace: "(known.size < 0 || one) && isLine(one)",
    caughtBy: `${watching} > logs --follow goes on with what comes, each line once, until Ctrl-C`,
  },
  {
    name: "logs NODE --follow reads what was there when it began",
    file: "src/cli/commands/logs.ts",
    find: "return { read: async () => (await asker.again(), read()), ...close };",
    replace: "const got = await read();\n      return { read: async () => got, ...close };",
    caughtBy: `${watching} > logs NODE --follow goes on with what another node says`,
  },
  {
    name: "a word that every object knows is a command",
    file: "src/fleet/assignments.ts",
    find: "Object.hasOwn(nodeStates, text) ? nodeStates[text] : undefined",
    replace: "nodeStates[text]",
    caughtBy: `${desired} > is refused, and it says what to write`,
  },
  {
    name: "more workers at least than at most are passed on to every node",
    file: "src/fleet/assignments.ts",
    find: "Number(max) >= Number(min) &&",
    replace: "Number(max) > 0 &&",
    caughtBy: `${desired} > is refused, and it says what to write`,
  },
  {
    name: "pause and resume in one command mean one of them",
    file: "src/fleet/assignments.ts",
    find: "if (before !== undefined) throw",
    replace: "if (before === text) throw",
    caughtBy: `${desired} > what is said twice in one command is refused`,
  },
  {
    name: "where the store of a bucket is away, nothing starts",
    file: "src/bucket/late-bucket.ts",
    find: "if (!isUnavailable(error)) throw error;",
    replace: "if (error) throw error;",
    caughtBy: `${wrappers} > where its store is away at first, each call says so`,
  },
  {
    name: "node run goes on with the keys that it began with",
    file: "src/app/open-idle-node.ts",
    find: 'if (changed.includes("gossip.keys")) await node.follow(now.settings);',
    replace: 'if (changed.includes("gossip")) await node.follow(now.settings);',
    caughtBy: `${processes} > keys change without a break under`,
  },
  {
    name: "what another node says is obeyed by the terminal",
    file: "src/fleet/heartbeat.ts",
    find: "z.string().max(lengthMax).transform(toPlain)",
    replace: "z.string().max(lengthMax)",
    caughtBy: `${beat} > what another node says moves no cursor`,
  },
  {
    name: "status says that all is well while nobody can read what is wanted",
    file: "src/app/status/gather-status.ts",
    find: "faults: await wantedFaults(fleet),",
    replace: "faults: (await wantedFaults(fleet)).slice(0, 0),",
    caughtBy: `${away} > what is wanted and cannot be read is said`,
  },
];
