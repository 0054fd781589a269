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
  type ScheduleReader,
  type ScheduleRun,
  type ScheduleView,
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
  type Schedule,
  type ScheduleAction,
  type ScheduleInput,
  type ScheduleKind,
} from "./schedule.ts";
export { createTicker, type TickerOptions, type TickerView } from "./ticker.ts";
