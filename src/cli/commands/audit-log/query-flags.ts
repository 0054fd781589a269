import { auditResults, type AuditQuery } from "../../../audit/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Flags, OptionSpec } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";

export const auditOptions: readonly OptionSpec[] = [
  { flag: "--who", value: "user", summary: "only entries of this user" },
  { flag: "--what", value: "name", summary: "only this route or command, or a prefix of its name" },
  { flag: "--result", value: "result", summary: "only this result", choices: auditResults },
  { flag: "--since", value: "time", summary: "from then on: 2026-11-18 or 2026-11-18T06:00:00Z" },
  { flag: "--until", value: "time", summary: "only before this time" },
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
