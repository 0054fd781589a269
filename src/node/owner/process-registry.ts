import { sleep, type Clock } from "../../base/clock.ts";
import type { Applied, NodeDesired } from "../../fleet/index.ts";
import { ended } from "./ended.ts";
import type { NodeFleet, ProcessDesired, ProcessReport } from "../node-api.ts";

/** The processes of a node that run tasks, kept by its owner. */
export interface ProcessRegistry extends Pick<NodeFleet, "attach" | "report"> {
  /** Sends the desired state to all processes, and waits for their answers. */
  apply(desired: NodeDesired): Promise<Applied>;
  reports(): readonly ProcessReport[];
}

export interface ProcessRegistryOptions {
  readonly clock: Clock;
  /** A process came or went. */
  readonly onChange: () => void;
}

/** A process that has not applied a change after this long is reported as a fault. */
const applyMsMax = 10_000;

interface Attached {
  report: ProcessReport;
  readonly send: (desired: ProcessDesired) => void;
}

export function createProcessRegistry(options: ProcessRegistryOptions): ProcessRegistry {
  const { clock, onChange } = options;
  const attached = new Map<string, Attached>();
  let desired: ProcessDesired | undefined;
  let number = 0;
  let waiting: (() => void)[] = [];
  const wakeWaiting = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  const changed = () => {
    wakeWaiting();
    onChange();
  };
  const isBehind = ({ report }: Attached) => (report.applied?.number ?? 0) < number;

  return {
    async attach(report, { onProgress, signal }) {
      const mine: Attached = { report, send: (desired) => onProgress?.(desired) };
      attached.set(report.process, mine);
      if (desired) mine.send(desired);
      changed();
      await ended(signal);
      if (attached.get(report.process) !== mine) return; // it has registered itself again
      attached.delete(report.process);
      changed();
    },
    async report(report) {
      const known = attached.get(report.process);
      if (!known) return; // it is gone by now
      known.report = report;
      wakeWaiting();
    },
    async apply({ state, stateRevision, workers }) {
      number += 1;
      desired = { number, state, stateRevision, workers: Object.fromEntries(workers) };
      for (const { send } of attached.values()) send(desired);
      const waited = new AbortController();
      const patience = sleep(clock, applyMsMax, waited.signal).catch(() => {});
      let isOver = false;
      void patience.then(() => (isOver = true));
      while (!isOver && [...attached.values()].some(isBehind)) {
        await Promise.race([patience, new Promise<void>((resolve) => waiting.push(resolve))]);
      }
      waited.abort();
      const reports = [...attached.values()];
      const answers = reports.flatMap(({ report }) => report.applied ?? []);
      return {
        what:
          [...new Set(answers.map(({ what }) => what))].join("; ") ||
          "no process of this node runs tasks",
        faults: [
          ...answers.flatMap(({ faults }) => faults),
          ...reports
            .filter(isBehind)
            .map(
              ({ report }) => `process ${report.pid} has not answered for ${applyMsMax / 1_000} s`,
            ),
        ],
      };
    },
    reports: () => [...attached.values()].map(({ report }) => report),
  };
}
