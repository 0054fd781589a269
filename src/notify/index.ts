export type { Alarm, AlarmTarget } from "./alarms/alarm.ts";
export { alarmNames, isAlarmName } from "./alarms/alarm-names.ts";
export {
  createAlarmKeeper,
  type AlarmKeeperOptions,
  type AlarmReading,
} from "./alarms/alarm-keeper.ts";
export { createNtfyTarget, createSlackTarget, createWebhookTarget } from "./alarms/http-targets.ts";
export { openOutboxFile } from "./alarms/outbox.ts";
export {
  listDeliveries,
  replayDelivery,
  type DeliveriesQuery,
  type Delivery,
} from "./deliveries.ts";
export {
  createDeliveryHandler,
  deliveryJob,
  deliveryKind,
  postEvent,
  type DeliveryServices,
} from "./delivery.ts";
export {
  openEndpoints,
  shownUrl,
  type Endpoint,
  type Endpoints,
  type NewEndpoint,
  type SecretReference,
} from "./endpoints.ts";
export { eventTypes, type EventType } from "./event-names.ts";
export { createEventPublisher, type EventPublisher, type NewEvent } from "./events.ts";
export {
  listRunbook,
  readRunbookPage,
  runbookCommand,
  runbookNames,
  type RunbookName,
  type RunbookPage,
} from "./runbook.ts";
export { createWebhookSecret } from "./standard-webhook.ts";
export { createJobWatcher } from "./watch-jobs.ts";
