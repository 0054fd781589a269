import { may } from "../data/session.ts";
import { chosenTab, Tabs, type Tab } from "../parts/tabs.tsx";
import { Top } from "../parts/top.tsx";
import { AlarmActivity } from "./alarm-activity.tsx";
import { Audit } from "./audit.tsx";
import { Deliveries } from "./deliveries.tsx";
import { FleetActivity } from "./fleet-activity.tsx";
import { Schedules } from "./schedules.tsx";

/** Commands, alarms, schedules, the audit log and webhook deliveries. */
export function Activity() {
  const tabs: readonly Tab[] = [
    ["commands", "Commands"],
    ["alarms", "Alarms"],
    ["schedules", "Schedules"],
    ...(may("audit:read") ? [["audit", "Audit"] as const] : []),
    ...(may("webhooks:write") ? [["deliveries", "Deliveries"] as const] : []),
  ];
  const tab = chosenTab(tabs);
  return (
    <>
      <Top title="Activity" />
      <Tabs
        label="Parts of the activity"
        tabs={tabs}
        resets={["open", "who", "what", "result", "since", "state", "webhook"]}
      />
      {tab === "commands" && <FleetActivity />}
      {tab === "alarms" && <AlarmActivity />}
      {tab === "schedules" && <Schedules />}
      {tab === "audit" && <Audit />}
      {tab === "deliveries" && <Deliveries />}
    </>
  );
}
