/**
 * The process that queue-scale-side.ts starts beside itself: to fill both queues and close them,
 * or to open the large one and end as a crash would, without closing it.
 */
import type { Backlog, ScaleProgram } from "./queue-scale-side.ts";
import { fillSide, openSide } from "./open-side.ts";
import type { BenchQueue, PageTask } from "./open-side.ts";

const addSize = 10_000;
const hourMs = 3_600_000;
const { part, input, context, claimable } = JSON.parse(process.argv[2]!) as ScaleProgram;

switch (part) {
  case "fill":
    for (const backlog of [input.few, input.many]) {
      await fillSide(backlog, context, (queue) => fill(queue, backlog));
    }
    break;
  case "crash":
    await openSide(input.many, context);
    process.kill(process.pid, "SIGKILL");
}

async function fill(queue: BenchQueue, { blocked }: Backlog): Promise<void> {
  for (let from = 0; from < blocked; from += addSize) {
    await queue.add(blockedPages(from, Math.min(from + addSize, blocked)));
  }
  await Promise.all(
    Array.from({ length: input.gates }, (_, gate) => queue.block(gateName(gate), hourMs)),
  );
  await queue.add(
    Array.from({ length: claimable }, (_, index) => page(`https://open.example/page/${index}`)),
  );
}

function blockedPages(from: number, to: number): readonly PageTask[] {
  return Array.from({ length: to - from }, (_, index) => {
    const gate = gateName((from + index) % input.gates);
    return { ...page(`https://${gate}/page/${from + index}`), gate };
  });
}

function page(url: string): PageTask {
  return { kind: "page", key: url, payload: { url } };
}

function gateName(gate: number): string {
  return `site-${gate}.example`;
}
