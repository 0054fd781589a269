import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { accountsOf } from "../user/user-options.ts";

export const tokenRevoke: Command = {
  needs: "settings",
  arguments: [{ name: "token", summary: "its id, as `forager token list` shows it" }],
  examples: [
    { line: "forager token revoke 3f9k2m7qxz", summary: "refuse all requests with this token" },
  ],
  details: ["Live streams that were opened with it end too."],

  async run(context) {
    const { args, out } = context;
    const id = args[0]!;
    await using accounts = await openAccountService(accountsOf(context));
    await using _state = await context.recordState(() => accounts.tokenOf(id));
    await accounts.revokeToken(id);
    out.result({ revoked: id }, `${id} was revoked`);
  },
};
