import type { StoreNow } from "../../queue-store.ts";
import { queryOne, type Session } from "./database.ts";

/** The store's clock is the server's, read where a statement needs it; tests bring their own. */
export type Moment = (() => StoreNow) | undefined;

/** Values for `$1` and `$2` of `withMoment`. */
export const momentValues = (moment: Moment): readonly [number | null, number | null] => {
  const now = moment?.();
  return now ? [now.ms, now.wallMs] : [null, null];
};

/** One reading for a whole statement: `moment.ms` and `moment.wall`, from `$1` and `$2` if given. */
export const withMoment = `with moment as materialized (
  select coalesce($1::bigint, at.ms) as ms, coalesce($2::bigint, at.ms) as wall
  from (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms) at)`;

export async function readMoment(session: Session, moment: Moment): Promise<StoreNow> {
  if (moment) return moment();
  const { ms } = await queryOne<{ ms: number }>(
    session,
    "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
  );
  return { ms, wallMs: ms };
}
