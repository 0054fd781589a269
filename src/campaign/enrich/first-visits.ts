import type { VisitOutcome } from "../../crawl/index.ts";
import { isVisitRead } from "../../records/index.ts";

export interface EndedVisit {
  readonly host: string;
  readonly outcome: VisitOutcome;
  readonly reason?: string;
}

/** If this many hosts all fail for the same reason, the cause is probably on this machine. */
export const firstHosts = 20;

/**
 * Watches the first visits of each job. If none of its first hosts could be read, all for the same
 * reason, `onAlike` is called once: a local cause (a setting, the network, an address that websites
 * block) would make all other visits fail too.
 */
export function createFirstVisits(onAlike: (job: string, reason: string) => Promise<void>) {
  const hostsByJob = new Map<string, Set<string> | "over">();
  const reasonByJob = new Map<string, string>();
  const end = (job: string) => {
    hostsByJob.set(job, "over");
    reasonByJob.delete(job);
  };
  return async (job: string, visit: EndedVisit): Promise<void> => {
    const { host, outcome, reason = outcome } = visit;
    const hosts = hostsByJob.get(job) ?? new Set<string>();
    if (hosts === "over") return;
    const first = reasonByJob.get(job) ?? reason;
    if (isVisitRead(visit) || reason !== first) return end(job);
    hostsByJob.set(job, hosts.add(host));
    reasonByJob.set(job, reason);
    if (hosts.size < firstHosts) return;
    end(job);
    await onAlike(job, reason);
  };
}
