/**
 * The program of one worker process of `forager work`. Its parent sends it its options and kinds.
 * It exits when its parent asks for it or has exited, or on a signal.
 */
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { openKeptLog } from "../../base/log/kept-log.ts";
import { createPinoLogger } from "../../base/log/pino-logger.ts";
import { reportError } from "../../base/log/report-error.ts";
import { isUsageError } from "../../base/usage-error.ts";
import { createPaths, loadSettings, processSources } from "../../config/index.ts";
import { openUsageRecord } from "../bucket/usage-record.ts";
import { createInbox } from "./inbox.ts";
import { runWorker } from "./run-worker.ts";
import type { ToWorker, WorkerStart } from "./worker-start.ts";

/** The code for wrong input: the supervisor does not replace a process that exits with it. */
const exitCodes = { ok: 0, failure: 1, wrongInput: 2 } as const;

const inbox = createInbox();
process.on("message", (message) => inbox.take(message as ToWorker));
// A second "stop" means at once: so a process that is already stopping releases its tasks if its
// parent exits.
process.on("disconnect", () => inbox.take({ kind: "stop" }));
process.on("SIGTERM", () => inbox.take({ kind: "stop" }));
process.on("SIGINT", () => inbox.take({ kind: "stop" }));

async function main(start: WorkerStart): Promise<number> {
  let isPrepared = false;
  try {
    const flags = start.settingFlags;
    // The parent has printed warnings about these settings.
    const { settings } = await loadSettings({ ...processSources(), flags });
    const paths = createPaths(settings.data);
    const kept = openKeptLog({ folder: paths.logs(), name: String(process.pid) });
    const log = createPinoLogger({ level: settings.log.level, kept });
    isPrepared = true;
    await using _usage = openUsageRecord({ paths, clock: systemClock, log });
    await runWorker({
      start,
      inbox,
      send: (message) => void (process.connected && process.send?.(message, () => {})),
      settings,
      paths,
      clock: systemClock,
      log,
    });
    return exitCodes.ok;
  } catch (error) {
    reportError(error, { stderr: process.stderr, ...start.errors });
    const isInvalid = error instanceof AppError && error.kind === "invalid";
    const isWrongInput = isUsageError(error) || (!isPrepared && isInvalid);
    return isWrongInput ? exitCodes.wrongInput : exitCodes.failure;
  }
}

const exitCode = await main(await inbox.start);
// An abandoned handler may wait for ever; it must not keep the process alive.
process.exit(exitCode);
