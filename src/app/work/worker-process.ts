/**
 * The program of one worker process of `forager work`. Its parent sends it how to start and which
 * kinds to work on. It ends when it is told to, when its parent is gone, or on a signal.
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

/** Of input that is wrong: the supervisor does not replace a process that says so. */
const exitCodes = { ok: 0, failure: 1, wrongInput: 2 } as const;

const inbox = createInbox();
process.on("message", (message) => inbox.take(message as ToWorker));
// A second "stop" means at once: so a process that stops gives everything back when its parent is
// gone meanwhile.
process.on("disconnect", () => inbox.take({ kind: "stop" }));
process.on("SIGTERM", () => inbox.take({ kind: "stop" }));
process.on("SIGINT", () => inbox.take({ kind: "stop" }));

async function main(start: WorkerStart): Promise<number> {
  let isPrepared = false;
  try {
    const flags = start.settingFlags;
    // Warnings about these settings were printed by the parent.
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
// A handler that was given up may wait for ever; what it waits for must not keep the process.
process.exit(exitCode);
