import {
  Argument,
  Command as Program,
  CommanderError,
  InvalidArgumentError,
  Option,
} from "commander";
import { docsFolder } from "../../base/files/docs-page.ts";
import { nearest } from "../../base/text/nearest.ts";
import { usageError } from "../../base/usage-error.ts";
import type { Command, CommandEntry, Flags, OptionSpec, Registry } from "./command.ts";
import { expandHelp, findCommand } from "./find-command.ts";
import { unknownCommand } from "./unknown-command.ts";
import { globalOptions, type GlobalFlags } from "../options/flags.ts";
import type { TextStream } from "../terminal/output.ts";

export interface ParseOptions {
  readonly registry: Registry;
  readonly version: string;
  readonly stdout: TextStream;
}

/** "answered": help or the version was requested and printed. "incomplete": the verb is missing. */
export type Parsed =
  | { readonly kind: "answered" }
  | { readonly kind: "incomplete"; readonly global: GlobalFlags; readonly help: string }
  | { readonly kind: "wrong"; readonly global: GlobalFlags; readonly error: Error }
  | {
      readonly kind: "command";
      readonly global: GlobalFlags;
      /** As in the registry: `noun verb`. */
      readonly name: string;
      readonly command: Command;
      readonly args: readonly string[];
      readonly flags: Flags;
    };

/** Parses a command line, without its first two words (node and script). */
export async function parse(argv: readonly string[], options: ParseOptions): Promise<Parsed> {
  const { registry } = options;
  const words = expandHelp(argv);
  const chosen = findCommand(words, registry);
  const command = await chosen?.load();

  let found: { args: readonly string[]; flags: Flags } | undefined;
  let help = ""; // the help of a noun without a verb; requested help goes to stdout
  const program = createProgram(options, (text) => (help += text));
  for (const entry of registry.commands) {
    const sub = addCommand(program, entry, registry);
    if (entry !== chosen || !command) continue;
    describe(sub, command);
    sub.action(() => {
      found = { args: (sub.processedArgs as unknown[]).flat().filter(isText), flags: sub.opts() };
    });
  }

  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const global = readGlobalFlags(program);
    if (error.code === "commander.help") return { kind: "incomplete", global, help };
    if (error.exitCode === 0) return { kind: "answered" };
    return { kind: "wrong", global, error: toUsageError(error, { chosen, words, registry }) };
  }
  // Commander ends each line with an action, help or an error. Anything else is a bug.
  if (!found || !command || !chosen)
    throw new Error("a command line was parsed but names no command");
  return {
    kind: "command",
    global: readGlobalFlags(program),
    name: chosen.name,
    command,
    ...found,
  };
}

function createProgram(
  { version, stdout }: ParseOptions,
  writeErr: (text: string) => void,
): Program {
  const program = new Program("forager")
    .description("Gathers company data into plain text, on one machine or many.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr,
      outputError: () => {}, // we report the error that Commander throws
    })
    .addHelpText(
      "after",
      "\nEvery command has --help with examples. Start with: forager doctor\n" +
        `Documentation: ${docsFolder}`,
    );
  for (const option of globalOptions) program.addOption(toOption(option));
  return program;
}

function readGlobalFlags(program: Program): GlobalFlags {
  const { color, json, pager, quiet, verbose, ...valued } = program.opts<Partial<GlobalFlags>>();
  const isOn = (flag: boolean | undefined) => flag === true;
  return {
    ...valued,
    color: isOn(color),
    pager: isOn(pager),
    json: isOn(json),
    quiet: isOn(quiet),
    verbose: isOn(verbose),
  };
}

function addCommand(program: Program, entry: CommandEntry, registry: Registry): Program {
  const [noun, verb] = entry.name.split(" ") as [string, string | undefined];
  const addTop = (summary: string) => {
    const group = registry.groups?.find(({ names }) => names.includes(noun));
    const top = program.command(noun).description(summary);
    return group ? top.helpGroup(group.heading) : top;
  };
  if (verb === undefined) return addTop(entry.summary);
  const parent =
    program.commands.find((existing) => existing.name() === noun) ??
    addTop(registry.nouns[noun] ?? "").helpCommand(false);
  return parent.command(verb).description(entry.summary);
}

function describe(sub: Program, command: Command): void {
  for (const { name, summary, choices, isOptional, isRepeated } of command.arguments ?? []) {
    const shown = isRepeated ? `${name}...` : name;
    const argument = new Argument(isOptional ? `[${shown}]` : `<${shown}>`, summary);
    sub.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of command.options ?? []) sub.addOption(toOption(option));
  const lines = command.examples.map(({ line, summary }) => `  # ${summary}\n  ${line}`);
  const details = (command.details ?? []).map((text) => `\n\n${text}`).join("");
  sub.addHelpText("after", `\nExamples:\n${lines.join("\n")}${details}`);
}

function toOption(spec: OptionSpec): Option {
  const { flag, short, value, summary, choices, isRepeated, default: fallback } = spec;
  const flags = short === undefined ? flag : `${short}, ${flag}`;
  const option = new Option(value === undefined ? flags : `${flags} <${value}>`, summary);
  if (choices) option.choices(choices);
  if (isRepeated) {
    option.argParser<readonly string[] | undefined>((text, before) => {
      if (choices && !choices.includes(text)) {
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
      }
      return [...(before ?? []), text];
    });
  }
  if (fallback !== undefined) option.default(fallback);
  return option;
}

interface Given {
  readonly chosen: CommandEntry | undefined;
  readonly words: readonly string[];
  readonly registry: Registry;
}

/**
 * Commander writes "error: what\n(Did you mean x?)". Our errors are one line that ends with the
 * next step.
 */
function toUsageError(error: CommanderError, { chosen, words, registry }: Given): Error {
  if (error.code === "commander.unknownCommand") return usageError(unknownCommand(words, registry));
  const what = error.message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .replace(/\.$/, "")
    .replace(/ \(Did you mean (?:one of )?([^?]*)\?\)/, (_, list: string) =>
      closeOnly(error, list),
    );
  const help = chosen ? `forager ${chosen.name} --help` : "forager --help";
  return usageError(`${what} - see \`${help}\``);
}

/** Removes suggestions that are not similar: Commander suggests `--bucket` for `--quiet`. */
function closeOnly({ message }: CommanderError, suggested: string): string {
  const [, given = ""] = /unknown option '([^']+)'/.exec(message) ?? [];
  const close = suggested.split(", ").filter((one) => nearest(given, [one]) !== undefined);
  return close.length === 0 ? "" : ` (did you mean ${close.join(" or ")}?)`;
}

const isText = (value: unknown): value is string => typeof value === "string";
