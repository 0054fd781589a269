import { auditLogRoutes } from "./audit-log-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { campaignRoutes } from "./campaign-routes.ts";
import { campaignWorkRoutes } from "./campaign-work-routes.ts";
import { campaignViewRoutes } from "./campaign-view-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { selectionRoutes } from "./records/selection-routes.ts";
import { queueRoutes } from "./queue-routes.ts";
import { recordMergeRoutes } from "./records/record-merge-routes.ts";
import { recordRoutes } from "./records/record-routes.ts";
import { recordViewRoutes } from "./records/record-view-routes.ts";
import { fleetRoutes } from "./fleet-routes.ts";
import { queueWriteRoutes } from "./queue-write-routes.ts";
import { recordWriteRoutes } from "./records/record-write-routes.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { suppressionRoutes } from "./records/suppression-routes.ts";
import { siteRoutes } from "./site-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signInRoutes, userRoutes } from "./user-routes.ts";
import { statusRoutes } from "./status-routes.ts";
import { viewRoutes } from "./view-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

/** All routes by name. ../handlers has a handler for each. */
export const contract = {
  ...sessionRoutes,
  ...signInRoutes,
  ...userRoutes,
  ...statusRoutes,
  ...fleetRoutes,
  ...queueRoutes,
  ...queueWriteRoutes,
  ...recordRoutes,
  ...recordViewRoutes,
  ...recordWriteRoutes,
  ...recordMergeRoutes,
  ...auditRoutes,
  ...campaignRoutes,
  ...campaignViewRoutes,
  ...campaignWorkRoutes,
  ...exportRoutes,
  ...selectionRoutes,
  ...eventRoutes,
  ...scheduleRoutes,
  ...siteRoutes,
  ...suppressionRoutes,
  ...viewRoutes,
  ...webhookRoutes,
  ...auditLogRoutes,
};

export type Contract = typeof contract;
export type RouteName = keyof Contract;
