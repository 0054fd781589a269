import type { Registry } from "./frame/command.ts";
import { groups, nouns, singleCommands } from "./commands/index.ts";

const order = groups.flatMap(({ names }) => names);
const place = ({ name }: { readonly name: string }) => order.indexOf(name.split(" ")[0]!);

export const registry: Registry = {
  nouns: Object.fromEntries(nouns.map(({ name, summary }) => [name, summary])),
  commands: [...singleCommands, ...nouns.flatMap(({ commands }) => commands)].toSorted(
    (a, b) => place(a) - place(b),
  ),
  groups,
};
