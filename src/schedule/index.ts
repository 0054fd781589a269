export {
  auditedSchedule,
  compactWithoutBucket,
  listSchedules,
  nextRunsOf,
  pauseSchedule,
  putSchedule,
  removeSchedule,
  runScheduleNow,
  scheduleRunsMax,
  showSchedule,
  type ScheduleDetails,
  type ScheduleRun,
} from "./manage-schedules.ts";
export { createScheduleHandler, scheduleJob, scheduleKind } from "./occurrence-task.ts";
export type { ScheduleServices } from "./occurrence-task.ts";
export type { Timing } from "./occurrences.ts";
export {
  missedPolicies,
  overlapPolicies,
  rescrapeFields,
  scheduleKindAliases,
  scheduleKinds,
  toTiming,
  withinMsDefault,
  type ScheduleAction,
  type ScheduleInput,
} from "./schedule.ts";
export { createTicker, type TickerView } from "./ticker.ts";
