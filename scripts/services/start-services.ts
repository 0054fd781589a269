import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KeeperReport } from "./keeper.ts";
import { createServiceFolder, removeServiceFolder } from "./service-folder.ts";
import { missingVariable, serviceVariables } from "./service.ts";
import type { ServiceName } from "./service.ts";

/** Services in use by this process. They end with it, however it ends. */
export interface RunningServices {
  /** What tests need to know: where each service is, or why it is missing. */
  readonly env: Readonly<Record<string, string>>;
  readonly pids: readonly number[];
  /** Not installed, and not ours to install: tests that need it are skipped or fail under CI. */
  readonly missing: readonly ServiceProblem[];
  /** Installed and broken: always a failure. */
  readonly failed: readonly ServiceProblem[];
}

export interface ServiceProblem {
  readonly name: ServiceName;
  readonly text: string;
}

export interface ServiceStarter {
  /** Starts all at once. `onAnswer` is called as each one runs or is known not to. */
  start(
    names: readonly ServiceName[],
    onAnswer?: (name: ServiceName, env: RunningServices["env"]) => void,
  ): Promise<RunningServices>;
  /** Stops what runs and what is still starting. Safe to repeat. */
  stop(): Promise<void>;
}

interface Keeper {
  readonly child: ChildProcess;
  readonly folder: string;
}

const keeperFile = fileURLToPath(new URL("./keeper.ts", import.meta.url));
const stopMs = 25_000;

/** Starts services, each behind a keeper; one the environment already names is used as it is. */
export function createServiceStarter(print: (line: string) => void): ServiceStarter {
  const keepers: Keeper[] = [];
  const folders: Promise<string>[] = [];
  let isStopping = false;

  const startOne = async (name: ServiceName): Promise<RunningServices> => {
    const given = givenEnvironment(name);
    if (given) return given;
    const creation = createServiceFolder(name);
    folders.push(creation);
    const folder = await creation;
    if (isStopping) {
      await removeServiceFolder(folder);
      return problem(name, "failed", "stopped before it started");
    }
    const child = spawn(process.execPath, ["--import", "tsx", keeperFile, name, folder], {
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const keeper = { child, folder };
    keepers.push(keeper);
    child.stdin.on("error", () => {}); // a keeper that is gone is seen by its exit
    for await (const line of createInterface({ input: child.stdout })) {
      const report = JSON.parse(line) as KeeperReport;
      if (report.kind === "note") print(`${name}: ${report.text}`);
      else if (report.kind === "ready") {
        child.once("exit", () => {
          killGroup(child); // a keeper that was killed leaves its servers to us
          if (!isStopping) print(`${name}: ended by itself, tests that need it will fail`);
        });
        return { env: report.env, pids: report.pids, missing: [], failed: [] };
      } else if (report.kind !== "restarted") return problem(name, report.kind, report.text);
    }
    return problem(name, "failed", "its keeper ended without a word");
  };

  return {
    async start(names, onAnswer = () => {}) {
      const started = await Promise.all(
        names.map(async (name) => {
          const services = await startOne(name);
          onAnswer(name, services.env);
          return services;
        }),
      );
      return {
        env: Object.assign({}, ...started.map(({ env }) => env)) as Record<string, string>,
        pids: started.flatMap(({ pids }) => pids),
        missing: started.flatMap(({ missing }) => missing),
        failed: started.flatMap(({ failed }) => failed),
      };
    },
    async stop() {
      isStopping = true;
      await Promise.all(keepers.map(stopKeeper));
      // A folder that is being created has no keeper yet.
      await Promise.allSettled(folders.map(async (folder) => removeServiceFolder(await folder)));
    },
  };
}

function givenEnvironment(name: ServiceName): RunningServices | undefined {
  const [first, ...others] = serviceVariables[name];
  if (!process.env[first]) return undefined;
  const absent = others.filter((variable) => !process.env[variable]);
  if (absent.length > 0) return problem(name, "failed", `${first} needs ${absent.join(", ")} too`);
  const env = Object.fromEntries(
    serviceVariables[name].map((variable) => [variable, process.env[variable]!]),
  );
  return { env, pids: [], missing: [], failed: [] };
}

function problem(name: ServiceName, kind: "missing" | "failed", text: string): RunningServices {
  const env = { [missingVariable(name)]: text };
  return { env, pids: [], missing: [], failed: [], [kind]: [{ name, text }] };
}

async function stopKeeper({ child, folder }: Keeper): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const giveUp = setTimeout(() => killGroup(child), stopMs);
    child.stdin?.end();
    await exit;
    clearTimeout(giveUp);
  }
  killGroup(child);
  await removeServiceFolder(folder);
}

function killGroup(keeper: ChildProcess): void {
  if (keeper.pid === undefined) return;
  try {
    process.kill(-keeper.pid, "SIGKILL");
  } catch {
    // Nothing is left of the group: what we want.
  }
}
