/** The number of visits with this outcome. */
export interface VisitCount {
  readonly outcome: string;
  /** "" if the site was read. */
  readonly reason: string;
  readonly count: number;
}

/**
 * True if there were visits and none could read its website: then something is probably wrong on
 * this side.
 */
export const isNothingRead = (visits: readonly VisitCount[]): boolean =>
  visits.length > 0 && !visits.some(isRead);

/** The same rule as `isVisitRead` of the records, which is too large to load for each command. */
const isRead = ({ outcome, reason }: Pick<VisitCount, "outcome" | "reason">): boolean =>
  (outcome === "done" || outcome === "not_modified") && reason === "";

export function countVisits(visits: readonly VisitCount[]) {
  const sum = (some: readonly VisitCount[]) => some.reduce((all, { count }) => all + count, 0);
  const read = sum(visits.filter(isRead));
  return { read, notRead: sum(visits) - read };
}
