import type { ArgumentSpec, SettingsContext } from "../../frame/command.ts";

export const userArgument: ArgumentSpec = {
  name: "user",
  summary: "the name that the user signs in with",
};

/** Shown by completion; what is right is for the module to say. */
export const roleNames = ["viewer", "editor", "operator", "admin"];

/** What opening users and tokens needs. */
export const accountsOf = ({ settings, paths, clock, signal }: SettingsContext) => ({
  settings,
  paths,
  clock,
  signal,
});

/** Where it is for everybody to see, and until when it works. */
export const linkNote = "the link works once, within 24 hours; send it over a way that only the user can read"; // prettier-ignore
