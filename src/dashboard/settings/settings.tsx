import { may } from "../data/session.ts";
import { chosenTab, Tabs, type Tab } from "../parts/tabs.tsx";
import { Top } from "../parts/top.tsx";
import { Account } from "./account.tsx";
import { FreshSignIn } from "./fresh-sign-in.tsx";
import { ServerSettings } from "./server-settings.tsx";
import { Suppressions } from "./suppressions.tsx";
import { Tokens } from "./tokens.tsx";
import { Users } from "./users.tsx";
import { Webhooks } from "./webhooks.tsx";

/** Users, tokens, webhooks, the suppression list and settings. Tabs that the role does not allow are hidden. */
export function Settings() {
  const tabs: readonly Tab[] = [
    ["account", "Sessions"],
    ...(may("users:admin") ? [["users", "Users"] as const] : []),
    ["tokens", "Tokens"],
    ...(may("webhooks:write") ? [["webhooks", "Webhooks"] as const] : []),
    ["suppressions", "Suppression list"],
    ["server", "Server"],
  ];
  const tab = chosenTab(tabs);
  return (
    <>
      <Top title="Settings" />
      <Tabs label="Parts of the settings" tabs={tabs} resets={["words", "kind"]} />
      {tab === "account" && <Account />}
      {tab === "users" && <Users />}
      {tab === "tokens" && <Tokens />}
      {tab === "webhooks" && <Webhooks />}
      {tab === "suppressions" && <Suppressions />}
      {tab === "server" && <ServerSettings />}
      <FreshSignIn />
    </>
  );
}
