import type { Handlers } from "../handler.ts";
import { auditLogHandlers } from "./audit-log-handlers.ts";
import { auditHandlers } from "./campaign-handlers.ts";
import { campaignHandlers } from "./campaign-handlers.ts";
import { campaignWorkHandlers } from "./campaign-work-handlers.ts";
import { campaignViewHandlers } from "./campaign-handlers.ts";
import { eventHandlers } from "./event-handlers.ts";
import { exportHandlers } from "./export-handlers.ts";
import { selectionHandlers } from "./selection-handlers.ts";
import { queueHandlers } from "./queue-handlers.ts";
import { recordMergeHandlers } from "./record-merge-handlers.ts";
import { recordHandlers } from "./record-handlers.ts";
import { recordViewHandlers } from "./record-view-handlers.ts";
import { fleetHandlers } from "./fleet-handlers.ts";
import { queueWriteHandlers } from "./queue-write-handlers.ts";
import { recordWriteHandlers } from "./record-write-handlers.ts";
import { scheduleHandlers } from "./schedule-handlers.ts";
import { suppressionHandlers } from "./suppression-handlers.ts";
import { siteHandlers } from "./site-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { signInHandlers, userHandlers } from "./user-handlers.ts";
import { statusHandlers } from "./status-handlers.ts";
import { viewHandlers } from "./view-handlers.ts";
import { webhookHandlers } from "./webhook-handlers.ts";

/** The handlers of all routes in `contract`. */
export const handlers: Handlers = {
  ...sessionHandlers,
  ...signInHandlers,
  ...userHandlers,
  ...statusHandlers,
  ...fleetHandlers,
  ...queueHandlers,
  ...queueWriteHandlers,
  ...recordHandlers,
  ...recordViewHandlers,
  ...recordWriteHandlers,
  ...recordMergeHandlers,
  ...auditHandlers,
  ...campaignHandlers,
  ...campaignViewHandlers,
  ...campaignWorkHandlers,
  ...exportHandlers,
  ...selectionHandlers,
  ...eventHandlers,
  ...scheduleHandlers,
  ...siteHandlers,
  ...suppressionHandlers,
  ...viewHandlers,
  ...webhookHandlers,
  ...auditLogHandlers,
};
