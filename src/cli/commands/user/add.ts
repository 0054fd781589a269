import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { accountsOf, linkNote, roleNames, userArgument } from "./user-options.ts";

export const userAdd: Command = {
  needs: "settings",
  arguments: [{ ...userArgument, summary: "lower-case letters, digits and . _ + @ -" }],
  options: [
    { flag: "--role", value: "role", summary: "the role (default: viewer)", choices: roleNames }, // prettier-ignore
  ],
  examples: [
    { line: "forager user add anna --role admin", summary: "the first user" },
    { line: "forager user add bob@example.org", summary: "a user who can only view" },
  ],
  details: [
    "viewer: sees everything but exports. editor: also changes companies and campaigns, and exports.\n" +
      "operator: also runs and pauses work and nodes. admin: also users, tokens and the audit log.",
    "The user chooses a password with the link that this prints. Users are stored in the bucket of the\n" +
      "fleet; without a bucket in the data folder, readable by its owner only.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    await using accounts = await openAccountService(accountsOf(context));
    await using _state = await context.recordState(() => accounts.userOf(args[0]!));
    const added = await accounts.addUser(args[0]!, textFlag(flags, "role") ?? "viewer");
    out.result(added, `${added.user.name} was added as ${added.user.role}\n${added.link}`);
    out.note(linkNote);
  },
};
