import { nearest } from "../../base/text/nearest.ts";
import type { Registry } from "./command.ts";
import { commandWords } from "./find-command.ts";

/** Verbs that people try, and our names for them. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  create: ["new", "add"],
  make: ["new", "add", "create"],
  new: ["add"],
  add: ["new"],
  delete: ["remove", "forget", "cancel"],
  del: ["delete", "remove", "forget", "cancel"],
  rm: ["delete", "remove", "forget", "cancel"],
  remove: ["delete", "forget", "cancel"],
  ls: ["list"],
  list: ["ls", "show", "status"],
  get: ["show", "cat"],
  info: ["show", "status"],
  view: ["show"],
  edit: ["open", "set"],
  update: ["set"],
  find: ["search"],
  run: ["start", "dispatch"],
  start: ["run", "resume", "dispatch"],
  stop: ["pause", "cancel"],
  scale: ["set"],
  status: ["check", "show"],
};

/** Nouns that people try, and the commands that do the same. */
const nearCommands: Readonly<Record<string, string>> = {
  version: "--version",
  start: "up",
  run: "work",
  serve: "up",
  worker: "work",
  workers: "work",
  companies: "company list",
  people: "person list",
  campaigns: "campaign list",
  nodes: "node list",
  jobs: "queue jobs",
  tasks: "queue list",
  settings: "config show",
};

/**
 * The message for a command that does not exist: what was probably meant, and which help to read.
 */
export function unknownCommand(argv: readonly string[], registry: Registry): string {
  const [noun = "", verb] = commandWords(argv);
  const verbs = registry.commands
    .map(({ name }) => name.split(" "))
    .filter(([of, has]) => of === noun && has !== undefined)
    .map(([, has]) => has!);
  if (verbs.length > 0 && verb !== undefined) {
    const meant =
      (Object.hasOwn(synonyms, verb) ? synonyms[verb] : undefined)?.find((one) =>
        verbs.includes(one),
      ) ?? nearest(verb, verbs);
    const hint = meant === undefined ? "" : ` (did you mean \`forager ${noun} ${meant}\`?)`;
    return (
      `there is no command '${noun} ${verb}'${hint}; ${noun} has ${verbs.join(", ")}: ` +
      `see \`forager ${noun} --help\``
    );
  }
  const meant = topLevelMeant(noun, registry);
  const hint = meant.map((name) => `\`forager ${name}\``).join(" or ");
  return `there is no command '${noun}'${hint && ` (did you mean ${hint}?)`} - see \`forager --help\``;
}

/** At most this many suggestions. */
const meantMax = 3;

/** A command with another name, a verb without its noun, or a similar name. */
function topLevelMeant(word: string, { commands }: Registry): readonly string[] {
  if (Object.hasOwn(nearCommands, word)) return [nearCommands[word]!];
  const names = [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];
  const close = nearest(word, names);
  if (close !== undefined) return [close];
  const verbs = [word, ...(Object.hasOwn(synonyms, word) ? synonyms[word]! : [])];
  const found = nounsFirst.flatMap((noun) => {
    const verb = verbs.find((one) => commands.some(({ name }) => name === `${noun} ${one}`));
    return verb === undefined ? [] : [`${noun} ${verb}`];
  });
  return found.slice(0, meantMax);
}

/** The most likely nouns if a verb is typed alone. */
const nounsFirst = ["company", "campaign", "queue", "person", "config", "bucket", "node"];
