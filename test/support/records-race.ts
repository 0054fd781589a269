import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { builtCli } from "./built-cli.ts";
import type { Reported } from "./records-race-program.ts";
import type { RecordsSandbox } from "./records-sandbox.ts";
import { repositoryRoot } from "./repository.ts";

export interface RaceProcess {
  readonly child: ChildProcess;
  readonly opened: Promise<void>;
  /** All it has said. */
  readonly reported: readonly Reported[];
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const program = join(repositoryRoot, "test/support/records-race-program.ts");

/** Starts one; whoever calls ends it. */
export async function startRacer(folder: string, name: string, role: string): Promise<RaceProcess> {
  const dist = join(await builtCli(), "../..");
  const child = fork(program, [dist, folder, name, role], { execArgv: ["--import", "tsx"] });
  const reported: Reported[] = [];
  const ended = once(child, "exit");
  const opened = new Promise<void>((resolve) => {
    child.on("message", (message) => {
      reported.push(message as Reported);
      resolve();
    });
    void ended.then(() => resolve());
  });
  return {
    child,
    opened,
    reported,
    async stop() {
      if (child.connected) child.send("stop");
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export interface RaceOptions {
  readonly sandbox: RecordsSandbox;
  readonly forMs: number;
  readonly writers: number;
  readonly killEveryMs: number;
  /** Also `company set` and `records rebuild`, again and again: each takes a second or two. */
  readonly withCommands?: boolean;
}

/** A race with less in it shows nothing. */
export const enough = { facts: 20, edits: 10, kills: 0 };
const longerMs = 240_000;
/** So many edits at most, one for each of these milliseconds of the race, also while a busy machine renders nothing. */
const editMs = 10;

/** What was promised to somebody. */
export interface Promised {
  readonly facts: readonly { readonly domain: string; readonly tag: string }[];
  /** Key and value that a hand wrote into a file, by its domain. */
  readonly edits: readonly { readonly domain: string; readonly key: string }[];
  readonly kills: number;
}

/** Writers that are killed and replaced, a watcher, and a hand in the files, all at once. */
export async function raceRecords(options: RaceOptions): Promise<Promised> {
  const { sandbox, forMs, writers, killEveryMs, withCommands = false } = options;
  const data = sandbox.inData("");
  const all: RaceProcess[] = [];
  const begin = async (role: string) => {
    const racer = await startRacer(data, `${role[0]}${all.length}`, role);
    all.push(racer);
    return racer;
  };
  const edits: { domain: string; key: string }[] = [];
  const facts: { domain: string; tag: string }[] = [];
  let kills = 0;
  try {
    const watcher = await begin("watch");
    const running = await Promise.all(Array.from({ length: writers }, () => begin("write")));
    await Promise.all([watcher, ...running].map(({ opened }) => opened));
    const endMs = performance.now() + forMs;
    const commands = withCommands ? commandsUntil(sandbox, endMs) : Promise.resolve([]);
    commands.catch(() => {}); // told where it is waited for
    let killAtMs = performance.now() + killEveryMs;
    const reported = () =>
      all.flatMap((racer) => racer.reported).filter(({ kind }) => kind === "fact");
    const isEnough = () =>
      reported().length > enough.facts && edits.length > enough.edits && kills > enough.kills;
    // On a busy machine it takes longer until there is something to look at.
    const lastMs = endMs + longerMs;
    while (performance.now() < (isEnough() ? endMs : lastMs)) {
      await new Promise((resolve) => setTimeout(resolve, 15));
      if (edits.length < forMs / editMs) {
        const edit = editSome(join(data, "companies"), `hand${edits.length}`);
        if (edit) edits.push(edit);
      }
      if (performance.now() < killAtMs) continue;
      // One that has begun to write: else, on a busy machine, all are killed while they start.
      const writing = running.filter((racer) => racer.reported.some(({ kind }) => kind === "fact"));
      const chosen = writing[Math.floor(Math.random() * writing.length)];
      if (!chosen) continue;
      killAtMs = performance.now() + killEveryMs;
      const victim = running.indexOf(chosen);
      await chosen.kill();
      kills += 1;
      running[victim] = await begin("write");
    }
    facts.push(...(await commands));
    await Promise.all([watcher, ...running].map((one) => one.stop()));
  } finally {
    for (const { child } of all) child.kill("SIGKILL");
  }
  const reported = all.flatMap((racer) => racer.reported);
  expect(reported.filter(({ kind }) => kind === "failed")).toEqual([]);
  const codes = all.filter(({ child }) => child.signalCode === null);
  expect(codes.map(({ child }) => child.exitCode)).toEqual(codes.map(() => 0));
  facts.push(...reported.filter((one) => one.kind === "fact"));
  return { facts, edits, kills };
}

interface Listed {
  readonly rows: readonly {
    readonly target: string;
    readonly texts: { readonly domain: string };
  }[];
}

/** One after the other: someone types `company set`, and someone makes everything anew. */
async function commandsUntil(sandbox: RecordsSandbox, endMs: number) {
  const facts: { domain: string; tag: string }[] = [];
  for (let at = 0; performance.now() < endMs; at++) {
    if (at % 3 === 1) await sandbox.good("records", "rebuild");
    const { rows } = await sandbox.json<Listed>("company", "list");
    const row = rows[at % Math.max(1, rows.length)];
    if (!row) continue;
    await sandbox.good("company", "set", row.target, `tag=typed-${at}`);
    facts.push({ domain: row.texts.domain, tag: `typed-${at}` });
  }
  return facts;
}

/**
 * As an editor that reads a file, and saves it as it is on the disk: empties it, and writes. It may
 * be slow, and the file elsewhere by then.
 */
function editSome(folder: string, key: string) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names[Math.floor(Math.random() * names.length)];
  if (name === undefined) return undefined;
  const file = join(folder, name, "_index.md");
  try {
    const text = readFileSync(file, "utf8");
    const domain = /^domain: (.+)$/m.exec(text)?.[1];
    if (domain === undefined) return undefined;
    const opened = openSync(file, "w");
    try {
      sleepMs(Math.random() < 0.2 ? 20 : 0);
      writeFileSync(opened, text.replace("---\n", `---\n${key}: by hand\n`));
    } finally {
      closeSync(opened);
    }
    return { domain, key };
  } catch (error) {
    // Being replaced: no file for a moment. Or its folder was given to another.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const sleepMs = (ms: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Every file of records, by path. */
export function filesOf(sandbox: RecordsSandbox): ReadonlyMap<string, string> {
  const folder = sandbox.inData("companies");
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}
