import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** The young generation grows until it has this much, then no more. */
const youngBytes = 8 * 2 ** 20;
/** The old generation is collected when it has grown by this much since the last time. */
const oldGrowthPercent = 100;

/**
 * Keeps the memory of this process close to what it uses. On a machine with much memory V8 grows the
 * young generation to 48 MB and collects the old one late: an import that uses 30 MB then holds 230.
 * The limits themselves can be set only when a process is started, and users start us; but V8 reads
 * the factors by which it grows whenever it grows. They count for all threads of the process, so
 * this is for commands whose work is in the main thread.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${oldGrowthPercent}`);
  growYoung(false);
  const observer = new PerformanceObserver(() => {
    const isLarge = youngSize() >= youngBytes;
    growYoung(!isLarge);
    if (isLarge) observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

const growYoung = (isGrowing: boolean): void =>
  setFlagsFromString(`--semi-space-growth-factor=${isGrowing ? 2 : 1}`);

const youngSize = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
