import type { Registry } from "./frame/command.ts";
import { nouns, singleCommands } from "./commands/index.ts";

export const registry: Registry = {
  nouns: Object.fromEntries(nouns.map(({ name, summary }) => [name, summary])),
  commands: [...singleCommands, ...nouns.flatMap(({ commands }) => commands)],
};
