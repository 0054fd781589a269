import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { FlagValue, LoadedSettings, Paths, Settings } from "../../config/index.ts";
import type { ServiceManager } from "../../ship/index.ts";
import type { ChangeRecord } from "./change-record.ts";
import type { AskUser, Confirm } from "../terminal/confirm.ts";
import type { Output } from "../terminal/output.ts";
import type { Progress } from "../terminal/progress.ts";

/**
 * One command, one file in ./commands/. Its name and summary are in ./registry.ts, which
 * loads the file only when the command is run, completed or asked for help.
 */
export type Command = SettingsCommand | BareCommand;

interface CommandBase {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Whole command lines, shown by --help. At least one. */
  readonly examples: readonly Example[];
  /** What the options do not say, such as what an exit code means here. Shown below the examples. */
  readonly details?: readonly string[];
}

/** Runs once the settings were read and found good. The usual case. */
export interface SettingsCommand extends CommandBase {
  readonly needs: "settings";
  /** Runs on: its log lines are kept in the data folder too, where `forager logs` finds them. */
  readonly keepsLog?: true;
  run(context: SettingsContext): Promise<CommandOutcome>;
}

/** Must work where the settings are broken, or be quick. */
export interface BareCommand extends CommandBase {
  readonly needs: "nothing";
  run(context: BareContext): Promise<CommandOutcome>;
}

/**
 * Nothing = all went well. "failed" is for a result that was printed and is bad news. "stopped" is
 * for a command that runs until it is asked to stop, was asked, and stopped in good order: after
 * SIGTERM its exit code is 0, because service managers call any other code a failure.
 */
export type CommandOutcome = void | "partial" | "failed" | "stopped";

export interface BareContext extends ChangeRecord {
  /** In the order of `arguments`; the last one may be repeated if its spec says so. */
  readonly args: readonly string[];
  /** By name in camel case: `--dry-run` is `dryRun`. Absent flags are absent or false. */
  readonly flags: Flags;
  readonly registry: Registry;
  readonly out: Output;
  readonly progress: Progress;
  readonly confirm: Confirm;
  readonly ask: AskUser;
  readonly stdin: Readable;
  /** Errors are printed with where they came from, and results say more. */
  readonly isVerbose: boolean;
  /** Set if systemd has started this process and waits for its messages. */
  readonly serviceManager: ServiceManager | undefined;
  /** What a path on the command line is relative to. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Fires on Ctrl-C, on SIGTERM, and when nobody reads stdout any more. Stop soon after. */
  readonly signal: AbortSignal;
}

export interface SettingsContext extends BareContext {
  /** The command is about to change something: it leaves an entry in the audit log. */
  readonly markChange: () => void;
  readonly settings: Settings;
  /** The same settings, with the source of each value. */
  readonly loaded: LoadedSettings;
  /** Reads them again, for a command that runs on and applies what is changed. */
  readonly reload: () => Promise<LoadedSettings>;
  /** The settings that the command line gave, by key: for processes that read them too. */
  readonly settingFlags: Readonly<Record<string, FlagValue>>;
  readonly paths: Paths;
  readonly log: Logger;
}

export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  /** Takes all that follow. Only for the last argument. */
  readonly isRepeated?: boolean;
  /** The shell offers what is there of this sort, where `choices` does not say. */
  readonly complete?: NameSort;
}

/** What `forager names` lists. */
export type NameSort = "company" | "person" | "campaign" | "node";

export interface OptionSpec {
  /** `--limit`; `--no-color` makes `color` false. */
  readonly flag: `--${string}`;
  /** One letter, where people are used to it. */
  readonly short?: `-${string}`;
  /** What the flag's value is, as help shows it. Without it the flag is a switch. */
  readonly value?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The setting that this flag overrides, such as `bucket.url`. */
  readonly setting?: string;
  /** May be given several times; the flag is then a list. */
  readonly isRepeated?: boolean;
  /** What the shell offers for the value, where `choices` does not say. */
  readonly complete?: "file" | "directory" | NameSort | readonly string[];
}

export interface Example {
  readonly line: string;
  readonly summary: string;
}

/** All commands there are. Small on purpose: `forager --help` loads this and nothing else. */
export interface Registry {
  readonly nouns: Readonly<Record<string, string>>;
  readonly commands: readonly CommandEntry[];
}

/** What commands act on. Its folder in ../commands has a file for each verb. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** In the order of `forager NOUN --help`. */
  readonly commands: readonly CommandEntry[];
}

export interface CommandEntry {
  /** `noun verb`, or one word for the few commands that stand alone. */
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}
