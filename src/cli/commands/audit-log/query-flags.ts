import { auditResults, type AuditQuery } from "../../../audit/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Flags, OptionSpec } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";

export const auditOptions: readonly OptionSpec[] = [
  { flag: "--who", value: "user", summary: "what this user did" },
  { flag: "--what", value: "name", summary: "a route or command, or how its name begins" },
  { flag: "--result", value: "result", summary: "how it ended", choices: auditResults },
  { flag: "--since", value: "time", summary: "from then on: 2026-11-18 or 2026-11-18T06:00:00Z" },
  { flag: "--until", value: "time", summary: "only before then" },
];

export function auditQuery(flags: Flags, limit: number): AuditQuery {
  const given = textFlag(flags, "limit");
  return {
    who: textFlag(flags, "who"),
    what: textFlag(flags, "what"),
    result: textFlag(flags, "result") as AuditQuery["result"],
    since: timeFlag(flags, "since"),
    until: timeFlag(flags, "until"),
    limit: given === undefined ? limit : parseCount("limit", given),
  };
}

function timeFlag(flags: Flags, name: string): string | undefined {
  const given = textFlag(flags, name);
  if (given === undefined) return undefined;
  const ms = Date.parse(given);
  if (Number.isNaN(ms))
    throw usageError(`--${name} takes a time such as 2026-11-18, not '${given}'`);
  return new Date(ms).toISOString();
}
