import { openAccountService } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { accountsOf } from "./user-options.ts";

export const userList: Command = {
  needs: "settings",
  examples: [
    { line: "forager user list", summary: "name, role, and if a password was chosen" },
    { line: "forager user list --json", summary: "for programs; never contains a password's hash" },
  ],

  async run(context) {
    const { out } = context;
    await using accounts = await openAccountService(accountsOf(context));
    const users = await accounts.listUsers();
    if (users.length === 0) {
      return out.result([], "there are no users: `forager user add NAME --role admin` adds one");
    }
    out.table(users, [
      { title: "user", value: ({ name }) => name, isKey: true },
      { title: "role", value: ({ role }) => role },
      { title: "password", value: ({ hasPassword }) => (hasPassword ? "yes" : "not yet") },
      { title: "link until", value: ({ linkUntil }) => linkUntil?.slice(0, 16).replace("T", " ") ?? "" }, // prettier-ignore
      { title: "added", value: ({ createdAt }) => createdAt.slice(0, 10) },
      { title: "by", value: ({ createdBy }) => createdBy },
    ]);
  },
};
