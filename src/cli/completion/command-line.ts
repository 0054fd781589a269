import { assert } from "../../base/app-error.ts";
import type { ArgumentSpec, NameSort, OptionSpec, Registry } from "../frame/command.ts";
import { answeringFlags, globalOptions } from "../options/flags.ts";

/** What may stand where on a command line: all that a completion script needs to know. */
export interface CommandLine {
  readonly places: readonly CompletionNode[];
  /** What every place takes besides its own. */
  readonly globalFlags: readonly Word[];
  readonly globalValues: readonly FlagValues[];
  /** Flags that swallow the next word, whichever the command. */
  readonly valueFlags: readonly string[];
}

/** After nothing (""), after a noun ("config"), or after a whole command ("config show"). */
export interface CompletionNode {
  readonly path: string;
  /** By position: the first holds verbs or the choices of the first argument. */
  readonly words: readonly (readonly Word[])[];
  /** By position: what the data folder is asked for. */
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

/** Loads every command: only a completion script needs to know them all. */
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

/** The scripts tell values from arguments before they know the command, so flags must agree. */
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

/** Which settings a script hands on to `forager names`, so that it looks in the right folder. */
export const placeFlags = ["--data", "--config"];

export const isNameSort = (offer: FlagValues["offer"]): offer is NameSort =>
  typeof offer === "string" && offer !== "file" && offer !== "directory";

function toValues({ flag, choices, complete }: OptionSpec): FlagValues[] {
  const offer = choices ?? complete;
  return offer === undefined ? [] : [{ flag, offer }];
}
