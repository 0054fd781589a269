import type { ArgumentSpec } from "../../command.ts";

export const scheduleArgument: ArgumentSpec = { name: "name", summary: "the schedule" };
