import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import {
  createCompanyAudit,
  createPhraseCache,
  openCampaignFolder,
  type AuditFinding,
  type Campaign,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeReadApi, NodeRecords } from "../../node/index.ts";
import { allCompanies } from "./all-companies.ts";

export interface AuditOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly records: Pick<NodeReadApi["records"], "search">;
  /** Only findings about this campaign. */
  readonly campaign?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onCompanies?: ((count: number) => void) | undefined;
}

export interface CampaignAudit {
  readonly campaigns: number;
  readonly companies: number;
  readonly findings: readonly AuditFinding[];
  /** False if there are more findings than are listed. */
  readonly isComplete: boolean;
}

/** More findings are repaired in several runs. */
const findingsMax = 10_000;

/** Examines every company; changes nothing. */
export async function auditCampaigns(options: AuditOptions): Promise<CampaignAudit> {
  const { paths, clock, records, campaign: named, signal, onCompanies } = options;
  const folder = openCampaignFolder(paths);
  const campaigns: Campaign[] = [];
  // Throws if a campaign cannot be read: otherwise all its companies would look lost.
  for (const name of await folder.list()) campaigns.push(await folder.load(name));
  if (named !== undefined && !campaigns.some(({ name }) => name === named))
    await folder.load(named);
  const phrases = createPhraseCache();
  const audit = createCompanyAudit({ campaigns, phrases, nowMs: clock.nowMs() });
  const findings: AuditFinding[] = [];
  let companies = 0;
  for await (const page of allCompanies(records, { signal, onCompanies })) {
    companies += page.length;
    for (const company of page) {
      const found = audit.findingsOf(company);
      findings.push(
        ...found.filter(
          (one) => named === undefined || one.campaign === named || one.belongsTo === named,
        ),
      );
    }
    if (findings.length > findingsMax) break;
  }
  const isComplete = findings.length <= findingsMax;
  const shown = findings.slice(0, findingsMax);
  return { campaigns: campaigns.length, companies, findings: shown, isComplete };
}

export interface AuditRepair {
  readonly repaired: number;
  /** Findings that belong to no campaign. */
  readonly left: number;
  /** The time before the repair, ISO 8601: `company restore NAME --at` undoes it. */
  readonly undoAt: string;
}

/** The number of companies written in one commit. */
const writtenAtOnce = 200;

/** Applies the repairs of the findings. Safe to repeat; each write can be undone with its time. */
export async function repairAudit(
  findings: readonly AuditFinding[],
  { records, clock, signal }: AuditRepairOptions,
): Promise<AuditRepair> {
  const undoAt = new Date(clock.nowMs() - 1).toISOString();
  const able = findings.filter(({ changes }) => changes.length > 0);
  for (let at = 0; at < able.length; at += writtenAtOnce) {
    if (signal?.aborted === true) throw stopped(at, able.length);
    const changes = able
      .slice(at, at + writtenAtOnce)
      .flatMap(({ target, changes: own }) =>
        own.map(({ field, value }) =>
          value === null ? { target, field, unset: true as const } : { target, field, value },
        ),
      );
    await records.write({ source: "system", changes });
  }
  return { repaired: able.length, left: findings.length - able.length, undoAt };
}

export interface AuditRepairOptions {
  readonly records: Pick<NodeRecords, "write">;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

const stopped = (done: number, all: number) =>
  new AppError("aborted", "audit_stopped", `stopped after ${done} of ${all} repairs: run it again`);
