import { homedir } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { reportError } from "../../base/log/report-error.ts";
import { clearLine } from "../../base/text/terminal-text.ts";
import { readVersion } from "../../base/version.ts";
import { takeServiceManager } from "../../ship/index.ts";
import type { Registry } from "./command.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { openPager } from "../terminal/pager.ts";
import { runCli } from "./run-cli.ts";

/**
 * Runs the command line of this process. It adds to `runCli`:
 * - the first Ctrl-C or SIGTERM asks the command to stop, the second one ends the process at once;
 * - if the reader of stdout closes it (`| head -1`), the command is asked to stop, without an
 * error;
 * - an uncaught error is a bug: it is reported like any other error and ends the process. The
 * process is never ended by `exit`, so that all output is written; only exitCode is set.
 *
 * All files that it or its worker processes create are private to the user (0600, folders 0700), in
 * any folder and with any umask, because they can contain addresses, notes and keys. This is done
 * by setting the umask, because SQLite and other libraries create files themselves. Only the
 * command line sets it: the library does not change the umask of its host program.
 */
export async function runProcess(registry: Registry): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  process.umask(0o077);
  // `doctor` says which Node is required; the S3 SDK would repeat a warning with every command.
  env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const isAsked = (flag: string) => argv.includes(flag);
  const stopping = new AbortController();
  let stoppedBy: ExitCode | undefined;

  /** While a pager runs, Ctrl-C is one of its keys, and closing the pager ends the command. */
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
  // If stderr is closed, results are still written.
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
