import { assert } from "../../base/app-error.ts";
import type { ArgumentSpec, NameSort, OptionSpec, Registry } from "../frame/command.ts";
import { answeringFlags, globalOptions } from "../options/flags.ts";

/**
 * The words that are possible at each position of a command line: the input of a completion script.
 */
export interface CommandLine {
  readonly places: readonly CompletionNode[];
  /** Flags that are possible everywhere. */
  readonly globalFlags: readonly Word[];
  readonly globalValues: readonly FlagValues[];
  /** Flags whose value is the next word, for all commands. */
  readonly valueFlags: readonly string[];
}

/**
 * The words after nothing (""), after a noun ("config"), or after a whole command ("config show").
 */
export interface CompletionNode {
  readonly path: string;
  /** By position: the first list has the verbs or the choices of the first argument. */
  readonly words: readonly (readonly Word[])[];
  /** By position: which names to read from the data folder. */
  readonly names: readonly (NameSort | undefined)[];
  readonly flags: readonly Word[];
  readonly values: readonly FlagValues[];
}

export interface Word {
  readonly text: string;
  readonly summary: string;
}

export interface FlagValues {
  readonly flag: string;
  readonly offer: "file" | "directory" | NameSort | readonly string[];
}

/** Loads every command; only completion scripts need that. */
export async function describeLine({ nouns, commands }: Registry): Promise<CommandLine> {
  const createPlace = (
    path: string,
    words: CompletionNode["words"],
    own: readonly OptionSpec[],
    names: CompletionNode["names"] = [],
  ): CompletionNode => ({
    path,
    words,
    names,
    flags: own.map(toWord),
    values: own.flatMap(toValues),
  });

  const places: CompletionNode[] = [];
  const roots = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first = "", verb] = name.split(" ");
    roots.set(first, verb === undefined ? summary : (nouns[first] ?? ""));
  }
  places.push(createPlace("", [toWords(roots)], []));
  for (const noun of new Set(commands.flatMap(({ name }) => name.split(" ").slice(0, -1)))) {
    const verbs = commands
      .filter(({ name }) => name.startsWith(`${noun} `))
      .map(({ name, summary }) => [name.slice(noun.length + 1), summary] as const);
    places.push(createPlace(noun, [toWords(verbs)], []));
  }
  const options: OptionSpec[] = [...globalOptions];
  for (const entry of commands) {
    const { arguments: taken = [], options: own = [] } = await entry.load();
    options.push(...own);
    places.push(createPlace(entry.name, taken.map(choiceWords), own, taken.map(namesOf)));
  }
  const answering = answeringFlags.map((text) => ({ text, summary: "print and exit" }));
  return {
    places,
    globalFlags: [...globalOptions.map(toWord), ...answering],
    globalValues: globalOptions.flatMap(toValues),
    valueFlags: findValueFlags(options),
  };
}

/**
 * The scripts separate values from arguments before they know the command, so a flag must take a
 * value in all commands or in none.
 */
function findValueFlags(options: readonly OptionSpec[]): string[] {
  const withValue = new Set(options.filter(({ value }) => value).map(({ flag }) => flag));
  for (const { flag, value } of options) {
    assert(value || !withValue.has(flag), `${flag} is a switch here and takes a value there`);
  }
  return [...withValue];
}

const toWord = ({ flag, summary }: OptionSpec): Word => ({ text: flag, summary });

const toWords = (pairs: Iterable<readonly [string, string]>): Word[] =>
  [...pairs].map(([text, summary]) => ({ text, summary }));

const choiceWords = ({ choices, summary }: ArgumentSpec): Word[] =>
  (choices ?? []).map((text) => ({ text, summary }));

const namesOf = ({ complete }: ArgumentSpec) => complete;

/** Flags that a script passes to `forager names`, so that it reads the right folder. */
export const placeFlags = ["--data", "--config"];

export const isNameSort = (offer: FlagValues["offer"]): offer is NameSort =>
  typeof offer === "string" && offer !== "file" && offer !== "directory";

function toValues({ flag, choices, complete }: OptionSpec): FlagValues[] {
  const offer = choices ?? complete;
  return offer === undefined ? [] : [{ flag, offer }];
}
