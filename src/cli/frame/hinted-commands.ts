import type { Registry } from "./command.ts";
import type { GlobalFlags } from "../options/flags.ts";

/**
 * Flags that select the data a command works on: without them, a suggested command would use other
 * data.
 */
const carried = ["config", "data", "queue"] as const;

/**
 * Adds the flags of this command line to the commands in a text, so that each can be run as
 * printed: "forager queue resume leads" becomes "forager --data d queue resume leads". Commands
 * that already have such a flag, or that are to be run on another machine, are not changed.
 */
export function createHintedCommands(
  { commands }: Pick<Registry, "commands">,
  given: Pick<GlobalFlags, (typeof carried)[number]>,
): (text: string) => string {
  const flags = carried.flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  if (flags.length === 0) return (text) => text;
  const words = [...new Set(commands.map(({ name }) => name.split(" ", 1)[0]))];
  const own = carried.map((name) => `--${name}\\b`).join("|");
  const hint = new RegExp(
    `(?<![\\w/.-])forager (?=(?:${words.join("|")})(?![\\w-]))(?![^\`\\n]*(?:${own}|\` on ))`,
    "g",
  );
  return (text) => text.replace(hint, () => `forager ${flags.join(" ")} `);
}

const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
