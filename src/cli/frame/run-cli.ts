import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { reportError } from "../../base/log/report-error.ts";
import { isUsageError, usageError } from "../../base/usage-error.ts";
import type { FlagValue } from "../../config/index.ts";
import type { ServiceManager } from "../../ship/index.ts";
import type { BareContext, CommandOutcome, Registry, SettingsContext } from "./command.ts";
import { createChangeRecord, type ChangeRecord, type RecordedChange } from "./change-record.ts";
import { createAsk, createConfirm } from "../terminal/confirm.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { textFlag, type GlobalFlags } from "../options/flags.ts";
import { createHintedCommands } from "./hinted-commands.ts";
import { canColor, createOutput, type TextStream } from "../terminal/output.ts";
import type { Pager } from "../terminal/pager.ts";
import { parse, type Parsed } from "./parse.ts";
import { createProgress } from "../terminal/progress.ts";
import { givenFlags, isRecorded, targetOf } from "./recorded-commands.ts";

/** Everything that a run takes from its process, so that tests can replace it. */
export interface CliOptions {
  readonly argv: readonly string[];
  readonly registry: Registry;
  readonly version: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly serviceManager?: ServiceManager | undefined;
  /** Undefined: lists are not paged. */
  readonly openPager?: () => Pager | undefined;
  /** The exit code for the signal that stopped the command; undefined if there was none. */
  readonly stoppedBy?: () => ExitCode | undefined;
}

/**
 * Runs one command line. Errors of the command become an exit code; it never throws them and never
 * exits the process.
 */
export async function runCli(options: CliOptions): Promise<ExitCode> {
  const { outcome, exitCode } = await runLine(options);
  const stoppedBy = options.stoppedBy?.();
  if (stoppedBy === exitCodes.terminated && outcome === "stopped") return exitCodes.ok;
  return stoppedBy ?? exitCode;
}

interface LineEnd {
  readonly exitCode: ExitCode;
  readonly outcome?: CommandOutcome;
}

async function runLine(options: CliOptions): Promise<LineEnd> {
  const { argv, stderr } = options;
  const parsed = await parse(argv, options);
  switch (parsed.kind) {
    case "answered":
      return { exitCode: exitCodes.ok };
    case "incomplete":
      if (parsed.global.json) report(usageError("which command? see `forager --help`"), parsed);
      else stderr.write(parsed.help);
      return { exitCode: exitCodes.usage };
    case "wrong":
      report(parsed.error, parsed);
      return { exitCode: exitCodes.usage };
    case "command":
      return runCommand(parsed);
  }

  function report(error: unknown, { global }: { readonly global: GlobalFlags }): void {
    const { json: isJson, verbose: isVerbose } = global;
    const hint = isJson ? undefined : createHintedCommands(options.registry, global);
    const written = { isTTY: stderr.isTTY, write: (text: string) => stderr.write(hint?.(text) ?? text) }; // prettier-ignore
    reportError(error, { stderr: written, isJson, isVerbose });
  }

  async function runCommand(found: FoundCommand): Promise<LineEnd> {
    let isPrepared = false;
    try {
      const run = await prepareRun(found, options);
      isPrepared = true;
      const outcome = await run();
      return { outcome, exitCode: exitCodeOf(outcome) };
    } catch (thrown) {
      const error = withoutClosing(thrown);
      // The command was stopped as requested: `stoppedBy` decides the exit code.
      if (options.signal.aborted && isAborted(error)) return { exitCode: exitCodes.ok };
      report(error, found);
      // Before the command runs, only the command line and the settings can be invalid.
      const isUsage = isUsageError(error) || (!isPrepared && isInvalid(error));
      if (isInUse(error)) return { exitCode: exitCodes.partial };
      return { exitCode: isUsage ? exitCodes.usage : exitCodes.failure };
    }
  }
}

/** Closing can fail too, for example on a full disk. Then the first error counts. */
function withoutClosing(error: unknown): unknown {
  let found = error;
  while (isSuppressedError(found)) found = found.suppressed;
  return found;
}

/**
 * Checked by name, because Node 22 has no class SuppressedError: there the compiler's helper
 * creates the error.
 */
function isSuppressedError(error: unknown): error is { readonly suppressed: unknown } {
  return error instanceof Error && error.name === "SuppressedError" && "suppressed" in error;
}

/** The data folder is used by a process that this one cannot connect to. */
const isInUse = (error: unknown) => error instanceof AppError && error.code === "node_in_use";

type FoundCommand = Extract<Parsed, { kind: "command" }>;

async function prepareRun(
  found: FoundCommand,
  options: CliOptions,
): Promise<() => Promise<CommandOutcome>> {
  const { command } = found;
  const { recorded, ...change } = createChangeRecord();
  let isPaged = found.global.pager;
  const openPager = () => (isPaged ? options.openPager?.() : undefined);
  const context = { ...createContext(found, { ...options, openPager }), ...change };
  if (command.needs === "nothing") {
    return () => runBare(found, () => command.run(context), { ...options, recorded });
  }
  const flags = settingFlags(found, options.cwd);
  const prepared = await readSettings({ flags, keepsLog: command.keepsLog === true }, options);
  if (prepared.settings.output.pager === "never") isPaged = false;
  for (const warning of prepared.loaded.warnings) context.out.note(`warning: ${warning}`);
  return async () => {
    const { paths, log } = prepared;
    const { finishRestore, openUsageRecord } = await import("../../app/index.ts");
    await finishRestore(paths, prepared.settings.data);
    await using _usage = openUsageRecord({ paths, clock: options.clock, log });
    return await audited({ ...found, ...prepared, clock: options.clock, recorded }, (markChange) =>
      command.run({ ...context, ...prepared, markChange }),
    );
  };
}

/**
 * Such a command often repairs broken settings. It is recorded if the settings can be read
 * afterwards.
 */
async function runBare(
  found: FoundCommand,
  run: () => Promise<CommandOutcome>,
  options: CliOptions & Pick<AuditedRun, "recorded">,
): Promise<CommandOutcome> {
  const outcome = await run();
  if (!isRecorded(found)) return outcome;
  const flags = settingFlags(found, options.cwd);
  const prepared = await readSettings({ flags, keepsLog: false }, options).catch(() => undefined);
  const { clock, recorded } = options;
  if (prepared) await audited({ ...found, ...prepared, clock, recorded }, async () => outcome);
  return outcome;
}

type AuditedRun = Pick<FoundCommand, "name" | "args" | "flags"> & Pick<Prepared, "settings" | "paths" | "log"> & { readonly clock: Clock; readonly recorded: () => RecordedChange }; // prettier-ignore

/**
 * Writes an entry to the audit log if the command changes something, whether it succeeds or fails.
 */
async function audited(
  { name, args, flags, settings, paths, log, clock, recorded }: AuditedRun,
  run: (markChange: () => void) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const given = { name, args, flags };
  let isChange = isRecorded(given);
  let isMarked = false;
  const write = async (result: "ok" | "failed", detail: string) => {
    // A command that found nothing to do must not create a data folder.
    if (!isChange || (!isMarked && !existsSync(paths.root()))) return;
    try {
      const { openAudit } = await import("../../app/index.ts");
      const { userName } = await import("../../config/index.ts");
      const entry = { who: userName(), by: "command", what: name, target: targetOf(given), result, detail, asked: givenFlags(given), ...recorded() }; // prettier-ignore
      await (await openAudit({ settings, paths, clock })).append(entry);
    } catch (error) {
      // If the command itself failed, for example on a full disk, its own error is more useful. A
      // user with read-only access to the folder cannot write the log either, so there is no need
      // for a warning.
      if (result === "ok" && !isForbidden(error)) log.warn("the audit log could not be written", { error }); // prettier-ignore
    }
  };
  try {
    const outcome = await run(() => (isChange = isMarked = true));
    await write(outcome === "failed" ? "failed" : "ok", outcome ?? "done");
    return outcome;
  } catch (error) {
    // A usage error means that nothing was changed.
    if (isMarked || !isUsageError(error)) {
      await write("failed", error instanceof Error ? error.message : String(error));
    }
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["EACCES", "EPERM", "EROFS"].includes(code) || isForbidden(error.cause);
}

function createContext(
  { args, flags, global }: FoundCommand,
  options: CliOptions,
): Omit<BareContext, keyof ChangeRecord> {
  const { registry, stdin, stdout, stderr, env, cwd, clock, signal, serviceManager, openPager } =
    options;
  const hasColor = canColor(stdout, { env, isWanted: global.color });
  const isJson = global.json;
  const isQuiet = global.quiet;
  return {
    args,
    flags,
    registry,
    out: createOutput({
      stdout,
      stderr,
      isJson,
      isQuiet,
      hasColor,
      openPager,
      hint: createHintedCommands(registry, global),
    }),
    progress: createProgress({ stderr, clock, isQuiet }),
    confirm: createConfirm({ stdin, stderr, signal }),
    ask: createAsk({ stdin, stderr, signal }),
    stdin,
    isVerbose: global.verbose,
    serviceManager,
    cwd,
    clock,
    signal,
  };
}

interface ReadSettingsOptions {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly keepsLog: boolean;
}

type Prepared = Omit<SettingsContext, keyof BareContext | "markChange">;

/** Loaded here because loading the schema and the logger takes longer than --help may take. */
async function readSettings(
  { flags, keepsLog }: ReadSettingsOptions,
  { cwd, env, home }: CliOptions,
): Promise<Prepared> {
  const [{ createPaths, loadSettings, refusePseudoFolder }, { createPinoLogger }, { openKeptLog }] =
    await Promise.all([
      import("../../config/index.ts"),
      import("../../base/log/pino-logger.ts"),
      import("../../base/log/kept-log.ts"),
    ]);
  const reload = () => loadSettings({ cwd, env, home, flags });
  const loaded = await reload();
  const { settings } = loaded;
  refusePseudoFolder(settings.data);
  const paths = createPaths(settings.data);
  const kept = keepsLog
    ? openKeptLog({ folder: paths.logs(), name: String(process.pid) })
    : undefined;
  const log = createPinoLogger({ level: settings.log.level, ...(kept && { kept }) });
  return { settings, loaded, reload, settingFlags: flags, paths, log };
}

/** Flags that override settings from files and the environment. */
function settingFlags({ global, command, flags: given }: FoundCommand, cwd: string) {
  const flags: Record<string, FlagValue> = {};
  for (const { flag, setting } of command.options ?? []) {
    const value = textFlag(given, flag.slice(2));
    if (setting !== undefined && value !== undefined) {
      flags[setting] = { flag, value: fromFolder("dir:", value, cwd) };
    }
  }
  if (global.config !== undefined) flags["config"] = { flag: "--config", value: global.config };
  if (global.data !== undefined) flags["data"] = { flag: "--data", value: global.data };
  if (global.queue !== undefined) {
    flags["queue.url"] = { flag: "--queue", value: fromFolder("sqlite:", global.queue, cwd) };
  }
  if (global.quiet) flags["log.level"] = { flag: "--quiet", value: "error" };
  if (global.verbose) flags["log.level"] = { flag: "--verbose", value: "debug" };
  return flags;
}

/**
 * A relative path in the settings is below the data folder; on the command line it is relative to
 * the current folder.
 */
function fromFolder(scheme: "sqlite:" | "dir:", address: string, cwd: string): string {
  if (!address.startsWith(scheme) || address === scheme) return address; // no path: reported later
  return `${scheme}${resolve(cwd, address.slice(scheme.length))}`;
}

function exitCodeOf(outcome: CommandOutcome): ExitCode {
  if (outcome === "partial") return exitCodes.partial;
  return outcome === "failed" ? exitCodes.failure : exitCodes.ok;
}

const isInvalid = (error: unknown) => error instanceof AppError && error.kind === "invalid";

const isAborted = (error: unknown) =>
  (error instanceof AppError && error.kind === "aborted") ||
  (error instanceof Error && error.name === "AbortError");
