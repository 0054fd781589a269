import { exactNow, truncatedNow, truncationMs, type ModelNow } from "../../../model/now.ts";
import type { StoreNow } from "../../../queue-store.ts";
import { queryOne, type PostgresSession } from "./database.ts";

/**
 * The store's clock is the server's clock, read by the statement that needs it; tests use their
 * own.
 */
export type Moment = (() => StoreNow) | undefined;

type Rounded = readonly [ms: number, lateMs: number];

/** Values for `$1` and `$2` of `withMoment`. */
export const momentValues = (moment: Moment): readonly [Rounded | null, Rounded | null] => {
  if (!moment) return [null, null];
  const { ms, lateMs, wallMs, wallLateMs } = exactNow(moment());
  return [
    [ms, lateMs],
    [wallMs, wallLateMs],
  ];
};

/** The server's clock, rounded down. */
const serverMs = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * SQL that reads the clock once for a whole statement: a table `moment` with the columns `ms`,
 * `late`, `wall` and `wall_late`, see `ModelNow`. The server's clock is rounded like `truncatedNow`
 * does.
 */
export const withMoment = `with moment as materialized (
  select coalesce(($1::bigint[])[1], at.ms) as ms,
    coalesce(($1::bigint[])[2], at.ms + ${truncationMs}) as late,
    coalesce(($2::bigint[])[1], at.ms) as wall,
    coalesce(($2::bigint[])[2], at.ms + ${truncationMs}) as wall_late
  from (select ${serverMs} as ms) at)`;

/** A row of `moment`. */
export interface MomentRow {
  readonly ms: number;
  readonly late: number;
  readonly wall: number;
  readonly wall_late: number;
}
export const momentColumns = "moment.ms, moment.late, moment.wall, moment.wall_late";

export const toNow = ({ ms, late, wall, wall_late }: MomentRow): ModelNow => ({
  ms,
  lateMs: late,
  wallMs: wall,
  wallLateMs: wall_late,
});

export async function readMoment(session: PostgresSession, moment: Moment): Promise<ModelNow> {
  if (moment) return exactNow(moment());
  const { ms } = await queryOne<{ ms: number }>(session, `select ${serverMs} as ms`);
  return truncatedNow({ ms, wallMs: ms });
}
