import type { Registry } from "./command.ts";
import type { GlobalFlags } from "../options/flags.ts";

/** Flags that decide what a command works on: without them, a hinted command would look elsewhere. */
const carried = ["config", "data", "queue"] as const;

/**
 * Puts the flags of this command line into the commands that a text hints at, so that each runs as
 * printed: "forager queue resume leads" becomes "forager --data d queue resume leads". A command that
 * names such a flag itself, or is to be run `forager …` on another machine, stays as it is.
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
