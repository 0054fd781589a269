import type { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";

/** A command for another machine. Each call is a connection of its own. */
export interface RemoteCommand {
  /** POSIX shell. Its arguments are `$1`, `$2` and so on, never part of the text. */
  readonly script: string;
  readonly args: readonly string[];
  /** Standard input, which then ends. */
  readonly input: string | Readable;
  /** Runs it with `sudo -n`. */
  readonly hasSudo: boolean;
  /** After this time the connection counts as lost. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `lost`: there was no connection, or it was cut, or no answer came in time. The command may have
 * run, in part or whole.
 */
export type RemoteResult =
  | {
      readonly kind: "ended";
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "lost"; readonly why: string };

/** Runs commands on hosts. Rejects with `aborted` if the signal fires, and with nothing else. */
export type RunRemotely = (host: string, command: RemoteCommand) => Promise<RemoteResult>;

/** One command line for the shell of a user on a host, whichever shell that is. */
export function remoteLine({
  script,
  args,
  hasSudo,
}: Pick<RemoteCommand, "script" | "args" | "hasSudo">): string {
  const words = ["sh", "-c", script, "forager-deploy", ...args].map(shellQuote);
  return [...(hasSudo ? ["sudo", "-n"] : []), ...words].join(" ");
}

/** Quotes a word so that any shell takes it as it is. */
export function shellQuote(word: string): string {
  if (/[\0\r\n]/.test(word)) {
    throw new AppError("invalid", "deploy_argument", `a command for a host has a line break: ${JSON.stringify(word)}`); // prettier-ignore
  }
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}

const hostRule = /^(?:[a-z0-9_][a-z0-9_.-]{0,31}@)?[a-z0-9_[][a-z0-9_.:%\]-]{0,252}$/i;

/** Whether `ssh` takes this as a host: a name of its configuration, HOST or USER@HOST. */
export const isHostName = (text: string): boolean => hostRule.test(text);
