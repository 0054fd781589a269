import type { ArgumentSpec } from "../../frame/command.ts";

export const scheduleArgument: ArgumentSpec = { name: "name", summary: "the schedule" };
