import type { ArgumentSpec, SettingsContext } from "../../frame/command.ts";

export const userArgument: ArgumentSpec = {
  name: "user",
  summary: "the name that the user signs in with",
};

/** For shell completion; the accounts module validates roles. */
export const roleNames = ["viewer", "editor", "operator", "admin"];

/** The options for opening users and tokens. */
export const accountsOf = ({ settings, paths, clock, signal }: SettingsContext) => ({
  settings,
  paths,
  clock,
  signal,
});

/** The same text wherever a link is printed: it is secret and expires. */
export const linkNote = "the link works once, within 24 hours; send it over a channel that only the user can read"; // prettier-ignore
