export type { Alarm, AlarmTarget } from "./alarms/alarm.ts";
export { alarmNames, isAlarmName } from "./alarms/alarm-names.ts";
export { createAlarmKeeper, type AlarmReading } from "./alarms/alarm-keeper.ts";
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
export { createEventPublisher, type EventPublisher } from "./events.ts";
export {
  listRunbook,
  readRunbookPage,
  runbookCommand,
  runbookNames,
  type RunbookName,
} from "./runbook.ts";
export { createJobWatcher } from "./watch-jobs.ts";
