/** What endpoints can ask for. Alarms are not among them: the owner of a data folder sends those. */
export const eventTypes = [
  "job.completed",
  "campaign.finished",
  "budget.reached",
  "export.ready",
] as const;
export type EventType = (typeof eventTypes)[number];
