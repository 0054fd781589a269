import type { Noun } from "../../frame/command.ts";

export const campaignNoun: Noun = {
  name: "campaign",
  summary: "plan and run campaigns (phrases × locations)",
  commands: [
    {
      name: "campaign new",
      summary: "create a campaign: a config.toml to edit",
      load: async () => (await import("./new.ts")).campaignNew,
    },
    {
      name: "campaign list",
      summary: "list campaigns with their phrases and locations",
      load: async () => (await import("./list.ts")).campaignList,
    },
    {
      name: "campaign show",
      summary: "print every value of a campaign, and its source",
      load: async () => (await import("./show.ts")).campaignShow,
    },
    {
      name: "campaign edit",
      summary: "change a campaign in your editor, with check and diff",
      load: async () => (await import("./edit.ts")).campaignEdit,
    },
    {
      name: "campaign set",
      summary: "set values of a campaign, for the fleet if there is one",
      load: async () => (await import("./set.ts")).campaignSet,
    },
    {
      name: "campaign remove",
      summary: "remove a campaign; the companies it found are kept",
      load: async () => (await import("./remove.ts")).campaignRemove,
    },
    {
      name: "campaign plan",
      summary: "count tiles and targets, and write the target index",
      load: async () => (await import("./plan.ts")).campaignPlan,
    },
    {
      name: "campaign dispatch",
      summary: "enqueue every target that has no recent result",
      load: async () => (await import("./dispatch.ts")).campaignDispatch,
    },
    {
      name: "campaign rematch",
      summary: "apply changed phrases, tags or files to searched tiles",
      load: async () => (await import("./rematch.ts")).campaignRematch,
    },
    {
      name: "campaign status",
      summary: "show the progress of campaigns",
      load: async () => (await import("./status.ts")).campaignStatusCommand,
    },
    {
      name: "campaign coverage",
      summary: "show tiles by state, as a table, KML or GeoJSON",
      load: async () => (await import("./coverage.ts")).campaignCoverageCommand,
    },
    {
      name: "campaign run",
      summary: "run a campaign on this machine, from plan to export",
      load: async () => (await import("./run.ts")).campaignRun,
    },
    {
      name: "campaign audit",
      summary: "find companies without a campaign or in the wrong one",
      load: async () => (await import("./audit.ts")).campaignAudit,
    },
    {
      name: "campaign report",
      summary: "from tiles to e-mail addresses, and what is missing",
      load: async () => (await import("./report.ts")).campaignReportCommand,
    },
  ],
};
