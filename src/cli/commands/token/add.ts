import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { listFlag, parseCount, textFlag } from "../../options/flags.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { usageError } from "../../../base/usage-error.ts";
import { accountsOf } from "../user/user-options.ts";

export const tokenAdd: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "its purpose, such as crm-sync" }],
  options: [
    { flag: "--scope", value: "scope", summary: "a permission, such as companies:read", isRepeated: true }, // prettier-ignore
    { flag: "--days", value: "count", summary: "how long it is valid", default: "90" },
    { flag: "--owner", value: "user", summary: "its owner, with whom it ends (default: the fleet)" }, // prettier-ignore
  ],
  examples: [
    { line: "forager token add crm-sync --scope companies:read --scope exports:read", summary: "for a program that reads" }, // prettier-ignore
    { line: "forager token add anna-laptop --owner anna --scope queue:read --days 7", summary: "with at most the rights of anna" }, // prettier-ignore
  ],
  details: [
    "The token is printed once; only its hash is stored. A program sends it as\n" +
      "`Authorization: Bearer TOKEN`, never in a URL.",
    `${docsPage("guides/users.md")} lists the scopes. No token can change users.`,
  ],

  async run(context) {
    const { args, flags, out } = context;
    const scopes = listFlag(flags, "scope");
    if (!scopes) throw usageError("which scopes? give --scope, such as --scope companies:read");
    const days = textFlag(flags, "days");
    await using accounts = await openAccountService(accountsOf(context));
    const added = await accounts.addToken({
      name: args[0]!,
      scopes,
      user: textFlag(flags, "owner"),
      days: days === undefined ? undefined : parseCount("days", days),
    });
    const { token: _, ...shown } = added;
    context.recordChange({ after: shown });
    out.result(added, added.token);
    out.note(`it is valid until ${added.expiresAt.slice(0, 10)} and is not shown again`);
  },
};
