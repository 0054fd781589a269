import {
  listSchedules,
  nextRunsOf,
  pauseSchedule,
  putSchedule,
  removeSchedule,
  runScheduleNow,
  showSchedule,
  toTiming,
} from "../../schedule/index.ts";
import type { scheduleRoutes } from "../contract/schedule-routes.ts";
import type { RouteContext, HandlersOf } from "../handler.ts";

const placeOf = async ({ node, queue, clock }: RouteContext) => ({
  ledger: node.ledger,
  queue: await queue(),
  clock,
});
const sourceOf = ({ caller, user }: RouteContext) => `hand:${caller.user || user}`;

export const scheduleHandlers: HandlersOf<typeof scheduleRoutes> = {
  listSchedules: async (_, context) => ({ rows: await listSchedules(await placeOf(context)) }),
  showSchedule: async ({ params, query }, context) =>
    showSchedule(await placeOf(context), params.schedule, { runsMax: query.runs }),
  async putSchedule({ params: { schedule: name }, body }, context) {
    const { cron, timezone, everyMs, ...rest } = body;
    const { node, clock, hasBucket } = context;
    const timing = toTiming({ cron, timezone, everyMs }, clock.nowMs());
    const place = { ledger: node.ledger, clock, hasBucket };
    const put = await putSchedule(place, { name, timing, ...rest }, sourceOf(context));
    return { name, change: put.change, next: nextRunsOf(put.schedule, clock.nowMs()) };
  },
  async pauseSchedule({ params: { schedule } }, context) {
    const given = { isPaused: true, source: sourceOf(context) };
    const { name, isPaused } = await pauseSchedule(await placeOf(context), schedule, given);
    return { name, isPaused };
  },
  async resumeSchedule({ params: { schedule } }, context) {
    const given = { isPaused: false, source: sourceOf(context) };
    const { name, isPaused } = await pauseSchedule(await placeOf(context), schedule, given);
    return { name, isPaused };
  },
  async runSchedule({ params: { schedule } }, context) {
    const place = await placeOf(context);
    return runScheduleNow(place, place.queue, schedule);
  },
  async removeSchedule({ params: { schedule: name } }, context) {
    await removeSchedule(await placeOf(context), name, sourceOf(context));
    return { name };
  },
};
