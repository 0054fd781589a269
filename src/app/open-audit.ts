import { openAuditLog, type AuditLog } from "../audit/index.ts";
import type { Clock } from "../base/clock.ts";
import type { Paths, Settings } from "../config/index.ts";

export interface OpenAuditOptions {
  readonly settings: Pick<Settings, "audit">;
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
}

/** The audit log of a data folder. */
export const openAudit = ({ settings, paths, clock }: OpenAuditOptions): AuditLog =>
  openAuditLog({ folder: paths.resolve("audit"), keepDays: settings.audit.keepDays, clock });
