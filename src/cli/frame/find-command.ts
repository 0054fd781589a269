import type { CommandEntry, Registry } from "./command.ts";
import { globalOptions } from "../options/flags.ts";

/**
 * Finds the command that a command line names, before the line is parsed. Then only this command's
 * file is loaded, and its options are used to parse the rest.
 */
export function findCommand(argv: readonly string[], registry: Registry): CommandEntry | undefined {
  const words = commandWords(argv);
  const named = (name: string) => registry.commands.find((entry) => entry.name === name);
  return named(words.join(" ")) ?? named(words[0] ?? "");
}

/** The noun and the verb of a command line, if present. */
export function commandWords(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length && words.length < 2; index++) {
    const word = argv[index]!;
    if (word === "--") break;
    if (!word.startsWith("-")) words.push(word);
    else if (globalOptions.some(({ flag, value }) => value !== undefined && flag === word)) index++;
  }
  return words;
}

/** `help config show` means the same as `config show --help`. */
export function expandHelp(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}
