import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { accountsOf, userArgument } from "./user-options.ts";

export const userRemove: Command = {
  needs: "settings",
  arguments: [userArgument],
  options: [{ flag: "--yes", summary: "do not ask" }],
  examples: [{ line: "forager user remove bob --yes", summary: "with all sessions and tokens" }],
  details: ["Values written by the user are kept, with their name as source."],

  async run(context) {
    const { args, flags, out, confirm } = context;
    const name = args[0]!;
    const isSure = await confirm(`Remove the user ${name} with their sessions and tokens?`, {
      yes: flags["yes"] === true,
    });
    if (!isSure) return out.result({ removed: false }, "nothing was changed");
    await using accounts = await openAccountService(accountsOf(context));
    await using _state = await context.recordState(() => accounts.userOf(name));
    await accounts.removeUser(name);
    out.result({ removed: true }, `${name} was removed`);
  },
};
