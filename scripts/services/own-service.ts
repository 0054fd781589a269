import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AppError } from "../../src/base/app-error.ts";
import type { KeeperReport } from "./keeper.ts";
import { createServiceFolder, removeServiceFolder } from "./service-folder.ts";
import type { ServiceName } from "./service.ts";

/** A service of one test alone: it may be restarted, which the shared one must never be. */
export interface OwnService extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  restart(): Promise<void>;
}

const keeperFile = fileURLToPath(new URL("./keeper.ts", import.meta.url));

/** Starts it whatever the environment names. It ends with this process, however that ends. */
export async function startOwnService(name: ServiceName): Promise<OwnService> {
  const folder = await createServiceFolder(name);
  const keeper = spawn(process.execPath, ["--import", "tsx", keeperFile, name, folder], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  keeper.stdin.on("error", () => {}); // a keeper that is gone is seen by its silence
  const reports = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<KeeperReport> => {
    for (;;) {
      const { value, done } = await reports.next();
      if (done) throw failure(name, "its keeper ended without a word");
      const report = JSON.parse(value) as KeeperReport;
      if (report.kind === "note") continue;
      if (report.kind === "missing" || report.kind === "failed") throw failure(name, report.text);
      return report;
    }
  };
  const stop = async () => {
    if (keeper.exitCode === null && keeper.signalCode === null) {
      const exit = once(keeper, "exit");
      keeper.stdin.end();
      await exit;
    }
    await removeServiceFolder(folder);
  };

  try {
    const ready = await next();
    return {
      env: ready.kind === "ready" ? ready.env : {},
      async restart() {
        keeper.stdin.write("restart\n");
        await next();
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const failure = (name: ServiceName, text: string): AppError =>
  new AppError(
    "unavailable",
    "service_failed",
    `${name} could not be started or restarted: ${text}`,
  );
