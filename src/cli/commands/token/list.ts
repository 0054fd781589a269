import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { accountsOf } from "../user/user-options.ts";

export const tokenList: Command = {
  needs: "settings",
  examples: [{ line: "forager token list", summary: "scopes, expiry and last use of each token" }],

  async run(context) {
    const { out } = context;
    await using accounts = await openAccountService(accountsOf(context));
    const tokens = await accounts.listTokens();
    if (tokens.length === 0) {
      return out.result([], "there are no tokens: `forager token add NAME --scope companies:read` creates one"); // prettier-ignore
    }
    out.table(tokens, [
      { title: "token", value: ({ id }) => id, isKey: true },
      { title: "name", value: ({ name }) => name },
      { title: "user", value: ({ user }) => user ?? "" },
      { title: "scopes", value: ({ scopes }) => scopes.join(" ") },
      { title: "expires", value: ({ expiresAt }) => expiresAt.slice(0, 10) },
      { title: "last used", value: ({ usedAt }) => usedAt?.slice(0, 16).replace("T", " ") ?? "never" }, // prettier-ignore
    ]);
  },
};
