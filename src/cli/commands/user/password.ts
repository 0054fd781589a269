import { openAccountService } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { accountsOf, linkNote, userArgument } from "./user-options.ts";

export const userPassword: Command = {
  needs: "settings",
  arguments: [userArgument],
  options: [
    { flag: "--stdin", summary: "read the password from standard input instead of making a link" },
  ],
  examples: [
    { line: "forager user password anna", summary: "a link for choosing another password" },
    { line: "pass show forager | forager user password anna --stdin", summary: "from a password manager" }, // prettier-ignore
  ],
  details: [
    "With a link the present password works until the user has chosen another one. A new password ends\n" +
      "all sessions of the user. A password is never taken from the command line, where others see it.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const name = args[0]!;
    const password = flags["stdin"] === true ? await readPassword(context) : undefined;
    await using accounts = await openAccountService(accountsOf(context));
    await using _state = await context.recordState(() => accounts.userOf(name));
    if (password !== undefined) {
      const user = await accounts.setPassword(name, password);
      return out.result(user, `${user.name} has a new password`);
    }
    const made = await accounts.makeLink(name);
    out.result(made, made.link);
    out.note(linkNote);
  },
};

const bytesMax = 10_000;

/** Reads the first line of stdin. */
async function readPassword({ stdin }: SettingsContext): Promise<string> {
  if ((stdin as { readonly isTTY?: boolean }).isTTY) {
    throw usageError("standard input is a terminal, which would show the password: pipe it, or leave --stdin out for a link"); // prettier-ignore
  }
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > bytesMax) throw usageError("standard input is too long for a password");
  }
  const [line = ""] = text.split(/\r?\n/);
  if (line === "") throw usageError("standard input has no password in its first line");
  return line;
}
