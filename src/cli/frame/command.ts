import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
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
  /** Complete command lines, shown by --help. At least one. */
  readonly examples: readonly Example[];
  /**
   * Facts that the options do not mention, such as the meaning of an exit code. Shown below the
   * examples.
   */
  readonly details?: readonly string[];
}

/** Runs after the settings were read and validated. The usual case. */
export interface SettingsCommand extends CommandBase {
  readonly needs: "settings";
  /**
   * The command runs for a long time: its log lines are also written to the data folder, where
   * `forager logs` reads them.
   */
  readonly keepsLog?: true;
  run(context: SettingsContext): Promise<CommandOutcome>;
}

/** Must work with broken settings, or must be fast. */
export interface BareCommand extends CommandBase {
  readonly needs: "nothing";
  run(context: BareContext): Promise<CommandOutcome>;
}

/**
 * Undefined: success. "failed": the result was printed, and it is bad news. "stopped": a command
 * that runs until it is stopped has stopped in good order; after SIGTERM its exit code is 0,
 * because service managers treat any other code as a failure.
 */
export type CommandOutcome = void | "partial" | "failed" | "stopped";

export interface BareContext extends ChangeRecord {
  /** In the order of `arguments`; only the last one may be repeated, if its spec allows it. */
  readonly args: readonly string[];
  /**
   * By name in camel case: `--dry-run` is `dryRun`. Flags that were not given are absent or false.
   */
  readonly flags: Flags;
  readonly registry: Registry;
  readonly out: Output;
  readonly progress: Progress;
  readonly confirm: Confirm;
  readonly ask: AskUser;
  readonly stdin: Readable;
  /** Print errors with their stack, and results with more detail. */
  readonly isVerbose: boolean;
  /** Set if systemd started this process and expects its messages. */
  readonly serviceManager: ServiceManager | undefined;
  /** Paths on the command line are relative to this folder. */
  readonly cwd: string;
  readonly clock: Clock;
  /**
   * Fires on Ctrl-C, on SIGTERM, and when the reader of stdout has closed it. The command must stop
   * soon after.
   */
  readonly signal: AbortSignal;
}

export interface SettingsContext extends BareContext {
  /** Call before the first change: the command then leaves an entry in the audit log. */
  readonly markChange: () => void;
  readonly settings: Settings;
  /** The same settings, with the source of each value. */
  readonly loaded: LoadedSettings;
  /** Reads the settings again, for a long-running command that applies changes. */
  readonly reload: () => Promise<LoadedSettings>;
  /** Settings from the command line, by key, for processes that have to use them too. */
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
  /** The argument takes all remaining words. Only for the last argument. */
  readonly isRepeated?: boolean;
  /** The kind of names that the shell offers, unless `choices` is given. */
  readonly complete?: NameSort;
}

/** A kind of names that `forager names` lists. */
export type NameSort = "company" | "person" | "campaign" | "node";

export interface OptionSpec {
  /** Such as `--limit`. `--no-color` sets `color` to false. */
  readonly flag: `--${string}`;
  /** One letter, for common flags. */
  readonly short?: `-${string}`;
  /** The placeholder of the value in help. Without it the flag is a switch. */
  readonly value?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The setting that this flag overrides, such as `bucket.url`. */
  readonly setting?: string;
  /** The flag may be repeated; its value is then a list. */
  readonly isRepeated?: boolean;
  /** What the shell offers as a value, unless `choices` is given. */
  readonly complete?: "file" | "directory" | NameSort | readonly string[];
}

export interface Example {
  readonly line: string;
  readonly summary: string;
}

/** The list of all commands. It is kept small because `forager --help` loads nothing else. */
export interface Registry {
  readonly nouns: Readonly<Record<string, string>>;
  /** In the order of help. */
  readonly commands: readonly CommandEntry[];
  /** How `forager --help` groups nouns and commands without a noun; absent: one list. */
  readonly groups?: readonly CommandGroup[];
}

export interface CommandGroup {
  readonly heading: string;
  readonly names: readonly string[];
}

/** A noun such as `company`. Its folder in ../commands has one file per verb. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** In the order in which `forager NOUN --help` lists them. */
  readonly commands: readonly CommandEntry[];
}

export interface CommandEntry {
  /** `noun verb`, or one word for commands without a noun. */
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}
