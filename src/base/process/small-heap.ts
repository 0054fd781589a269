import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Maximum size of the young generation. */
const youngBytes = 8 * 2 ** 20;
/** The old generation is collected when it has grown by this share since the last collection. */
const oldGrowthPercent = 100;

/**
 * Keeps the memory of this process close to what it uses. On a machine with much memory, V8 grows
 * the young generation to 48 MB and collects the old one late: an import that uses 30 MB then
 * occupies 230. Memory limits can be set only when a process starts, and users start this one. But
 * V8 reads its growth factors each time it grows the heap. They apply to all threads of the
 * process, so use this only for commands that work in the main thread.
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
