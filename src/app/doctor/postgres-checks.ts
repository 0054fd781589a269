import type { PostgresFacts } from "../queue/examine-queue.ts";
import { AppError } from "../../base/app-error.ts";
import type { Finding } from "./check.ts";

type Row = Finding & { readonly check: string };

export interface PostgresChecksOptions {
  /** Undefined if the queue has no server. */
  readonly examine: () => Promise<PostgresFacts | undefined>;
  readonly poolMax: number;
}

/** The server of a queue: is its version supported, do we have the rights, is it healthy? */
export async function checkPostgres(options: PostgresChecksOptions): Promise<readonly Row[]> {
  try {
    const facts = await options.examine();
    return facts ? judgePostgres(facts, options) : [];
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "internal") throw error;
    const advice = "not checked further because of this";
    return [{ check: "postgres", state: "fail", detail: error.message, advice }];
  }
}

const versionMin = 150_000;

export function judgePostgres(
  facts: PostgresFacts,
  { poolMax }: Pick<PostgresChecksOptions, "poolMax">,
): readonly Row[] {
  return [
    { check: "postgres", ...judgeVersion(facts) },
    { check: "postgres rights", ...judgeRights(facts) },
    { check: "postgres tables", ...judgeTables(facts) },
    { check: "postgres safety", ...judgeSafety(facts) },
    { check: "postgres autovacuum", ...judgeAutovacuum(facts) },
    { check: "postgres connections", ...judgeConnections(facts, poolMax) },
    { check: "postgres clock", ...judgeClock(facts) },
    { check: "postgres bloat", ...judgeBloat(facts) },
    { check: "postgres transactions", ...judgeOldest(facts) },
    { check: "postgres notifications", ...judgeHearing(facts) },
  ];
}

function judgeVersion({ version, versionText }: PostgresFacts): Finding {
  const detail = `version ${versionText}`;
  if (version >= versionMin) return { state: "ok", detail };
  return { state: "fail", detail, advice: "update the server to PostgreSQL 15 or newer" };
}

function judgeRights({ isReadOnly, tables, canMake }: PostgresFacts): Finding {
  if (isReadOnly) {
    const detail = "it cannot be written: a standby, or set to read only";
    return { state: "fail", detail, advice: "name the primary server in queue.url" };
  }
  if (!tables) {
    if (canMake) return { state: "ok", detail: "may create the tables" };
    return {
      state: "fail",
      detail: "this user may not create the tables",
      advice: "grant create on the database to it, or let its owner run a queue command once",
    };
  }
  if (tables.lacking.length > 0) {
    const detail = `this user lacks ${tables.lacking.slice(0, 5).join(", ")}`;
    return { state: "fail", detail, advice: "grant all rights on the tables of the schema to it" };
  }
  if (tables.isOwner) return { state: "ok", detail: "may use and change the tables" };
  return {
    state: "warn",
    detail: "may use the tables, but not change them",
    advice: "a later version has to be started once by their owner",
  };
}

function judgeTables({ tables, tablesKnown }: PostgresFacts): Finding {
  if (!tables) return { state: "ok", detail: "will be created when they are needed" };
  const { version, usableFrom } = tables;
  const detail = `at version ${version}, this program knows ${tablesKnown}`;
  if (usableFrom > tablesKnown) return { state: "fail", detail, advice: "update this node" };
  if (version > tablesKnown) {
    const advice = "update this node, before the upgrade of the fleet is finished";
    return { state: "warn", detail, advice };
  }
  if (version === usableFrom) return { state: "ok", detail };
  return { state: "ok", detail: `${detail}; earlier versions can use it until \`forager fleet finish-upgrade\`` }; // prettier-ignore
}

function judgeSafety({ settings }: PostgresFacts): Finding {
  const { fsync, synchronousCommit } = settings;
  const detail = `fsync ${fsync}, synchronous_commit ${synchronousCommit}`;
  if (fsync !== "on") {
    return { state: "fail", detail, advice: "set fsync = on: a power cut would ruin the data" };
  }
  if (synchronousCommit !== "off") return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice:
      "a crash of the server loses the last writes, although they were acknowledged: " +
      "set synchronous_commit = on, and queue.postgres.lazy for what may be lost",
  };
}

function judgeAutovacuum({ settings: { autovacuum } }: PostgresFacts): Finding {
  const detail = `autovacuum ${autovacuum}`;
  if (autovacuum === "on") return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice: "set autovacuum = on: otherwise the tables grow and become slow",
  };
}

const spared = 20;
const fewMax = 10;

function judgeConnections({ settings, connections }: PostgresFacts, poolMax: number): Finding {
  const { connectionsMax } = settings;
  const most = Math.max(3, Math.min(poolMax, connectionsMax - spared));
  const detail = `${connections} of ${connectionsMax} in use, at most ${most} by a process`;
  if (connectionsMax - spared < fewMax) {
    return { state: "warn", detail, advice: `raise the server's max_connections above ${spared}` };
  }
  if (connectionsMax - connections >= fewMax) return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice: "raise max_connections, lower queue.postgres.poolMax, or put a pooler in front",
  };
}

const aheadMsMax = 2_000;

function judgeClock({ clockAheadMs, clockErrorMs }: PostgresFacts): Finding {
  const word = clockAheadMs < 0 ? "behind" : "ahead of";
  const detail = `${Math.abs(clockAheadMs)} ms ${word} this machine's, within ${clockErrorMs} ms`;
  if (Math.abs(clockAheadMs) <= aheadMsMax + clockErrorMs) return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice: "turn on time synchronisation on both machines: times in settings and logs differ",
  };
}

const deadMin = 10_000;
const deadShareMax = 0.5;

function judgeBloat({ tables }: PostgresFacts): Finding {
  const share = ({ live, dead }: { live: number; dead: number }) => dead / Math.max(1, live + dead);
  const worst = [...(tables?.sizes ?? [])].sort((a, b) => b.dead - a.dead)[0];
  if (!worst) return { state: "ok", detail: "no tables yet" };
  const percent = Math.round(share(worst) * 100);
  const detail = `${worst.dead} dead rows in ${worst.name} (${percent} %), the most of all tables`;
  if (worst.dead < deadMin || share(worst) <= deadShareMax) return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice: `run: vacuum (analyze) on it; if they stay, a transaction is open for too long`,
  };
}

const ageSMax = 300;

function judgeOldest({ oldest }: PostgresFacts): Finding {
  if (!oldest) return { state: "ok", detail: "none is open but ours" };
  const { pid, application, state, ageS } = oldest;
  const who = application === "" ? `process ${pid}` : `${application}, process ${pid}`;
  const detail = `the oldest is open for ${ageS} s (${who}, ${state})`;
  if (ageS <= ageSMax) return { state: "ok", detail };
  return {
    state: "warn",
    detail,
    advice: `it prevents the removal of dead rows; end it: select pg_terminate_backend(${pid})`,
  };
}

function judgeHearing({ hearsOthers }: PostgresFacts): Finding {
  if (hearsOthers) return { state: "ok", detail: "notifications between sessions arrive" };
  return {
    state: "warn",
    detail: "notifications between sessions do not arrive, so the queue is polled every second",
    advice: "set queue.postgres.listenUrl to the server's own address, without the pooler",
  };
}
