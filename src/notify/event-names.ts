/**
 * The events that endpoints can subscribe to. Alarms are not included: the owner of a data folder
 * sends those.
 */
export const eventTypes = [
  "job.completed",
  "campaign.finished",
  "budget.reached",
  "export.ready",
] as const;
export type EventType = (typeof eventTypes)[number];
