import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { accountsOf, roleNames, userArgument } from "./user-options.ts";

export const userRole: Command = {
  needs: "settings",
  arguments: [userArgument, { name: "role", summary: "the new role", choices: roleNames }],
  examples: [
    { line: "forager user role bob editor", summary: "allow changing companies and exporting" },
  ],
  details: [
    "Ends the sessions and live streams of the user: within five seconds at every\n" +
      "server of the fleet. The user signs in again.",
  ],

  async run(context) {
    const { args, out } = context;
    await using accounts = await openAccountService(accountsOf(context));
    await using _state = await context.recordState(() => accounts.userOf(args[0]!));
    const user = await accounts.setRole(args[0]!, args[1]!);
    out.result(user, `${user.name} is ${user.role}`);
  },
};
