/** How many visits ended so. */
export interface VisitCount {
  readonly outcome: string;
  /** "" if the site was read. */
  readonly reason: string;
  readonly count: number;
}

/** There were visits, and none of them has read its website: something is probably wrong here. */
export const isNothingRead = (visits: readonly VisitCount[]): boolean =>
  visits.length > 0 && !visits.some(isRead);

/** As `isVisitRead` of the records says, which is too large to be loaded for each command. */
const isRead = ({ outcome, reason }: Pick<VisitCount, "outcome" | "reason">): boolean =>
  (outcome === "done" || outcome === "not_modified") && reason === "";

export function countVisits(visits: readonly VisitCount[]) {
  const sum = (some: readonly VisitCount[]) => some.reduce((all, { count }) => all + count, 0);
  const read = sum(visits.filter(isRead));
  return { read, notRead: sum(visits) - read };
}
