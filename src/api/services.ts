import type * as z from "zod";
import type { AuditLog } from "../audit/index.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { NodeApi } from "../node/index.ts";
import type { DeliveriesQuery } from "../notify/index.ts";
import type { HealthSource, HistoryPoint } from "../observe/index.ts";
import type { Queue } from "../queue/index.ts";
import type { RecordQuery } from "../records/index.ts";
import type { SeenAttempt } from "../worker/index.ts";
import type { auditRoutes } from "./contract/audit-routes.ts";
import type { campaignViewRoutes } from "./contract/campaign-view-routes.ts";
import type { campaignWorkRoutes } from "./contract/campaign-work-routes.ts";
import type { exportRoutes } from "./contract/export-routes.ts";
import type { FileAnswer } from "./handler.ts";
import type { campaignRoutes } from "./contract/campaign-routes.ts";
import type { fleetRoutes } from "./contract/fleet-routes.ts";
import type { siteRoutes } from "./contract/site-routes.ts";
import type { statusAnswer } from "./contract/status-routes.ts";
import type { webhookRoutes } from "./contract/webhook-routes.ts";

/** What handlers call. The composition root provides it; nothing is opened before it is used. */
export interface ApiServices {
  readonly node: Pick<NodeApi, "ledger" | "records" | "fleet">;
  /** Opens the queue at the first call; creates it if it does not exist. */
  readonly queue: () => Promise<Queue>;
  readonly status: (options: { readonly isCluster: boolean }) => Promise<StatusValue>;
  readonly campaigns: ApiCampaigns;
  readonly fleet: ApiFleet;
  readonly exports: ApiExports;
  readonly webhooks: ApiWebhooks;
  readonly audit: AuditLog;
  readonly sites: ApiSites;
  /** Requests to buckets in the last `days` days. */
  readonly usage: (days: number) => Promise<AnswerOfRoute<FleetRoutes["bucketUsage"]>>;
  readonly settings: () => AnswerOfRoute<FleetRoutes["showSettings"]>["rows"];
  /** True if the nodes share a bucket. */
  readonly hasBucket: boolean;
  /** True if requests cost money; then polling is less frequent. */
  readonly isCharged: { readonly bucket: boolean; readonly queue: boolean };
  /** Past metrics, oldest first. */
  readonly history: (by: "minute" | "hour") => Promise<readonly HistoryPoint[]>;
  /** The data of /metrics, /healthz and /readyz. */
  readonly health: HealthSource;
  readonly version: string;
  /** Such as prod or test; empty if none is set. */
  readonly environment: string;
  /** Pictures of another server below the map. */
  readonly mapTiles?: { readonly url: string; readonly credit: string } | undefined;
  /**
   * The user whose manual changes go through this server: the source of these facts is
   * `hand:<user>`.
   */
  readonly user: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Values that become JSON are never changed, so they may be readonly at all levels. */
export type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

export type StatusValue = Fixed<z.input<typeof statusAnswer>>;

type FleetRoutes = typeof fleetRoutes;
type AnswerOfRoute<R extends { readonly answer: z.ZodType }> = Fixed<z.input<R["answer"]>>;

export type CommandValue = AnswerOfRoute<FleetRoutes["showCommand"]>;

type WebhookRoutes = typeof webhookRoutes;
type EndpointValue = AnswerOfRoute<WebhookRoutes["enableWebhook"]>;
type EndpointSecretValue = AnswerOfRoute<WebhookRoutes["addWebhook"]>;

/** Endpoints of webhooks, and the deliveries to them. */
export interface ApiWebhooks {
  list(): Promise<AnswerOfRoute<WebhookRoutes["listWebhooks"]>["rows"]>;
  add(endpoint: z.output<WebhookRoutes["addWebhook"]["body"]>): Promise<EndpointSecretValue>;
  remove(id: string): Promise<EndpointValue>;
  rotate(id: string, options: { readonly overlapMs: number }): Promise<EndpointSecretValue>;
  enable(id: string): Promise<EndpointValue>;
  test(id: string, signal: AbortSignal): Promise<AnswerOfRoute<WebhookRoutes["testWebhook"]>>;
  deliveries(query: DeliveriesQuery): Promise<AnswerOfRoute<WebhookRoutes["listDeliveries"]>["rows"]>; // prettier-ignore
  replay(id: number): Promise<number>;
}

/** The desired state of the fleet, and what nodes have applied. */
export interface ApiFleet {
  show(): Promise<AnswerOfRoute<FleetRoutes["showFleet"]>>;
  give(
    node: string,
    what: readonly string[],
    options: {
      readonly by: string;
      /** Whether sources of campaigns may name files outside of their folders, and servers. */
      readonly mayReachOutside: boolean;
    },
  ): Promise<CommandValue>;
  commands(limit: number): Promise<readonly CommandValue[]>;
  command(revision: number): Promise<CommandValue>;
  undo(revision: number, by: string): Promise<CommandValue>;
  /** What workers measured of the attempts at a task, or at the tasks of a gate. */
  attempts(query: {
    readonly gate?: string;
    readonly task?: number;
  }): Promise<readonly SeenAttempt[]>;
  /** Lets a node send its log lines every two seconds for a while. */
  followLogs(node: string, by: string): Promise<AnswerOfRoute<FleetRoutes["followLogs"]>>;
  logs(query: {
    readonly node?: string | undefined;
    readonly lines: number;
    readonly text?: string | undefined;
  }): Promise<AnswerOfRoute<FleetRoutes["readLogs"]>>;
}

type AuditRoutes = typeof auditRoutes;
type CampaignRoutes = typeof campaignRoutes & typeof campaignViewRoutes & typeof campaignWorkRoutes;
type Work = z.output<CampaignRoutes["dispatchCampaign"]["body"]>;

/** The published sites of the data folder. */
export interface ApiSites {
  list(): z.input<typeof siteRoutes.listSites.answer>["rows"];
  publish(
    target: string,
    options: { readonly signal: AbortSignal },
  ): Promise<AnswerOfRoute<typeof siteRoutes.publishSite>>;
}

interface RowRequest {
  readonly query: Pick<RecordQuery, "words" | "filters">;
  readonly campaign?: string;
  readonly signal: AbortSignal;
}

interface ExportRequest extends RowRequest {
  readonly hasBom: boolean;
  /** Only rows that were in no earlier export of this name. */
  readonly onlyNew?: ExportName;
}

/** The name under which exported rows are remembered. */
interface ExportName {
  readonly name: string;
  readonly isRestarted: boolean;
}

/**
 * Files that are generated while they are sent. Errors in the request are thrown before the first
 * byte.
 */
export interface ApiExports {
  companies(request: ExportRequest & { readonly format: z.output<ExportRoutes["exportCompanies"]["query"]>["format"]; readonly columns?: readonly string[] }): Promise<FileAnswer>; // prettier-ignore
  emails(request: ExportRequest & { readonly format: z.output<ExportRoutes["exportEmails"]["query"]>["format"]; readonly sitesMax?: number }): Promise<FileAnswer>; // prettier-ignore
  changes(request: RowRequest & { readonly feed: ExportName }): Promise<FileAnswer>;
}

type ExportRoutes = typeof exportRoutes;

export interface ApiCampaigns {
  list(): Promise<Fixed<z.input<CampaignRoutes["listCampaigns"]["answer"]>["rows"]>>;
  status(campaign: string): Promise<Fixed<z.input<CampaignRoutes["campaignStatus"]["answer"]>>>;
  report(campaign: string, options: { readonly isFresh: boolean; readonly signal: AbortSignal }): Promise<Fixed<z.input<CampaignRoutes["campaignReport"]["answer"]>>>; // prettier-ignore
  coverage(campaign: string, options: { readonly phrase?: string; readonly signal: AbortSignal }): Promise<Fixed<z.input<CampaignRoutes["campaignCoverage"]["answer"]>>>; // prettier-ignore
  estimate(campaign: string, options: { readonly signal: AbortSignal }): Promise<AnswerOfRoute<CampaignRoutes["campaignEstimate"]>>; // prettier-ignore
  audit(campaign: string | undefined, options: { readonly signal: AbortSignal }): Promise<AnswerOfRoute<AuditRoutes["auditCampaigns"]>>; // prettier-ignore
  repairAudit(campaign: string | undefined, options: { readonly signal: AbortSignal }): Promise<AnswerOfRoute<AuditRoutes["repairCampaigns"]>>; // prettier-ignore
  readConfig(campaign: string): Promise<string>;
  saveConfig(
    campaign: string,
    config: {
      readonly text: string;
      /** The version on which the change is based; absent: overwrite any version. */
      readonly base?: string | undefined;
      readonly isDryRun: boolean;
      /** True if its sources may refer to servers and to files outside of the campaign's folder. */
      readonly mayReachOutside: boolean;
      /** Who saves it: `hand:anna`. */
      readonly by: string;
    },
  ): Promise<AnswerOfRoute<CampaignRoutes["saveCampaignConfig"]>>;
  create(campaign: string, by: string): Promise<void>;
  plan(
    campaign: string,
    options: {
      readonly isDryRun: boolean;
      readonly isForced: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<AnswerOfRoute<CampaignRoutes["planCampaign"]>>;
  dispatch(
    campaign: string,
    options: Work & { readonly signal: AbortSignal },
  ): Promise<AnswerOfRoute<CampaignRoutes["dispatchCampaign"]>>;
  /** Returns the path where its folder is kept. */
  remove(campaign: string, by: string): Promise<string>;
  phrases(asked: { readonly phrases: readonly string[]; readonly languages: readonly string[] }): AnswerOfRoute<CampaignRoutes["explainPhrases"]>["rows"]; // prettier-ignore
}
