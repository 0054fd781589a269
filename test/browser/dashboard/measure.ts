/** Measures what a page does on the main thread of its process. */
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds; `tdur` is the time of the processor, which other programs do not lengthen. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

export interface MainThread {
  /** Processor time of each task, in ms. */
  readonly taskMs: readonly number[];
  /** Processor time between two frames, in ms, of those frames in which the mouse moved. */
  readonly frameMs: readonly number[];
}

const categories = ["toplevel", "blink.user_timing", "disabled-by-default-devtools.timeline"];

/** Records what the main thread does during an action. */
export async function watchMainThread(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<MainThread> {
  await page.evaluate(`(() => {
    const mark = () => { performance.mark("frame"); requestAnimationFrame(mark); };
    requestAnimationFrame(mark);
    for (const type of ["mousemove", "mouseup"]) addEventListener(type, () => performance.mark("mouse"), true);
  })()`);
  await browser.startTracing(page, { categories });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }; // prettier-ignore
  const marksOf = (text: string) => trace.traceEvents.filter(({ name, ph }) => name === text && /^[RI]$/.test(ph)); // prettier-ignore
  const marks = marksOf("frame");
  const [first] = marks;
  if (!first) throw new Error("the page drew no frame");
  const tasks = trace.traceEvents
    .filter(
      ({ name, ph, pid, tid }) =>
        name === "RunTask" && ph === "X" && pid === first.pid && tid === first.tid,
    ) // prettier-ignore
    .map(({ ts, dur = 0, tdur = dur }) => ({ ts, ms: tdur / 1_000 }))
    .toSorted((a, b) => a.ts - b.ts);
  const starts = marks.map(({ ts }) => ts).toSorted((a, b) => a - b);
  const frames = starts.map(() => ({ ms: 0, isMouse: false }));
  const frameAt = (ts: number) => frames[Math.max(0, starts.findLastIndex((start) => start <= ts))]!; // prettier-ignore
  for (const { ts, ms } of tasks) frameAt(ts).ms += ms;
  for (const { ts } of marksOf("mouse")) frameAt(ts).isMouse = true;
  return {
    taskMs: tasks.map(({ ms }) => ms),
    frameMs: frames.filter(({ isMouse }) => isMouse).map(({ ms }) => ms),
  };
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

export interface LoadTimes {
  readonly fcpMs: number;
  /** The end of the last task of more than 50 ms: from then on a key is answered at once. */
  readonly ttiMs: number;
}

/** Opens a page in a new context, with a processor that seems four times slower. */
export async function measureLoad(
  browser: Browser,
  address: string,
  ready: string,
): Promise<LoadTimes> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(`
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) longTasks.push(startTime + duration);
    }).observe({ type: "longtask", buffered: true });
  `);
  await page.goto(address);
  await page.getByText(ready).first().waitFor();
  await page.waitForTimeout(quietMs);
  const found = await page.evaluate(`({
    fcpMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    ends: longTasks,
  })`);
  await context.close();
  const { fcpMs, ends } = found as { readonly fcpMs: number; readonly ends: readonly number[] };
  return { fcpMs, ttiMs: Math.max(fcpMs, ...ends) };
}

/** A page without a long task for this long is ready, by the usual definition. */
const quietMs = 5_000;

/** The bytes of the heap that are still referenced. */
export async function heapBytes(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize;
}
