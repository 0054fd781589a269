import { nearest } from "../base/nearest.ts";
import type { Registry } from "./command.ts";
import { commandWords } from "./find-command.ts";

/** Verbs that people try, and the verbs that we have for them. */
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
};

/** Commands of their own that people look for under another name. */
const nearCommands: Readonly<Record<string, string>> = {
  version: "--version",
  start: "up",
  run: "work",
  serve: "up",
  worker: "work",
  workers: "work",
  ls: "company list",
  list: "company list",
  companies: "company list",
  people: "person list",
  campaigns: "campaign list",
  nodes: "node list",
  jobs: "queue jobs",
  tasks: "queue list",
  settings: "config show",
};

/** What to say about a command that does not exist: what was meant, and which help to read. */
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
  const names = [...new Set(registry.commands.map(({ name }) => name.split(" ")[0]!))];
  const meant = Object.hasOwn(nearCommands, noun) ? nearCommands[noun] : nearest(noun, names);
  const hint = meant === undefined ? "" : ` (did you mean \`forager ${meant}\`?)`;
  return `there is no command '${noun}'${hint} - see \`forager --help\``;
}
