import { homedir } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { reportError } from "../../base/report-error.ts";
import { clearLine } from "../../base/terminal-text.ts";
import { readVersion } from "../../base/version.ts";
import { takeServiceManager } from "../../ship/index.ts";
import type { Registry } from "./command.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { openPager } from "../terminal/pager.ts";
import { runCli } from "./run-cli.ts";

/**
 * Runs the command line of this process. What a process adds to a run:
 * - Ctrl-C and SIGTERM first ask the command to stop, and the second one ends it at once;
 * - a reader that goes away (`| head -1`) is no error: the command is asked to stop, in silence;
 * - an error that nobody caught is a bug: it is reported like any other and ends the process.
 * The process ends by itself, so that all output gets out; only exitCode is set.
 *
 * Every file that it or its worker processes create is for its user alone (0600, folders 0700), in
 * whatever folder and with whatever umask it was started: it handles addresses, notes and keys. The
 * umask is the one mechanism for that, because SQLite and others create files by themselves. Only
 * the command line sets it: as a library Forager leaves the umask of its host alone.
 */
export async function runProcess(registry: Registry): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  process.umask(0o077);
  // `doctor` says which Node is needed; the SDK of S3 would say it again with every command.
  env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const isAsked = (flag: string) => argv.includes(flag);
  const stopping = new AbortController();
  let stoppedBy: ExitCode | undefined;

  /** Ctrl-C is a key of the pager then; to close the pager ends the command. */
  let isPaging = false;
  const openPagerHere = () => {
    const pager = openPager(env, () => (isPaging = false));
    isPaging = pager !== undefined;
    return pager;
  };

  const stopOn = (signal: NodeJS.Signals, exitCode: ExitCode) =>
    process.on(signal, () => {
      if (isPaging && signal === "SIGINT") return;
      if (stoppedBy !== undefined) process.exit(exitCode);
      stoppedBy = exitCode;
      if (!isAsked("--quiet")) {
        stderr.write(`${clearLine(stderr)}forager: stopping; press Ctrl-C again to stop now\n`);
      }
      stopping.abort();
    });
  stopOn("SIGINT", exitCodes.interrupted);
  stopOn("SIGTERM", exitCodes.terminated);

  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stopping.abort();
  });
  // Results are still worth having when nobody reads the notes.
  stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

  process.on("uncaughtException", (error) => {
    reportError(error, { stderr, isJson: isAsked("--json"), isVerbose: isAsked("--verbose") });
    process.exit(exitCodes.failure);
  });

  process.exitCode = await runCli({
    argv: argv.slice(2),
    registry,
    version: readVersion(),
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    home: homedir(),
    clock: systemClock,
    signal: stopping.signal,
    serviceManager: takeServiceManager(env),
    openPager: openPagerHere,
    stoppedBy: () => stoppedBy,
  });
}
