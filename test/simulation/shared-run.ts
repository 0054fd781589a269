import { sleep } from "../../src/base/clock.ts";
import { AppError } from "../../src/base/app-error.ts";
import { createId } from "../../src/base/ids.ts";
import { createSharedObject } from "../../src/bucket/index.ts";
import { Violation } from "./lease-run.ts";
import type { SimNode } from "./sim-node.ts";
import { makeTrouble } from "./trouble.ts";
import { lateMsMax, type World } from "./world.ts";

const chaosMs = 60_000;

interface Sheet {
  readonly changes: readonly string[];
}

/** Some nodes add lines to one object, through trouble. What was acknowledged is there, once. */
export async function runSharedObject(world: World): Promise<void> {
  const { scheduler, random, objects } = world;
  const acknowledged = new Set<string>();
  const open = new Set<string>();

  const write = async (node: SimNode) => {
    const session = `${node.name}-${createId(random, 6)}`;
    const sheet = createSharedObject<Sheet>({
      bucket: node.bucket,
      key: "sheet.json",
      session,
      clock: node.clock,
      random,
    });
    for (let number = 1; ; number++) {
      const id = `${session}-${number}`;
      open.add(id);
      try {
        await sheet.change((value) => ({ changes: [...(value?.changes ?? []), id] }));
        acknowledged.add(id);
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        world.tell(`${id} stays open`);
        world.note("unresolved");
      }
      await sleep(node.clock, random.next() * 8_000);
    }
  };

  let failure: Error | undefined;
  const run = (node: SimNode) => void write(node).catch((error: Error) => (failure ??= error));
  const names = ["a", "b", "c"];
  const trouble = makeTrouble({ world, names, run, untilMs: chaosMs, pauseMsMax: 20_000 });
  let lastBody: Uint8Array | undefined;
  let last: readonly string[] = [];
  const check = () => {
    if (failure) throw failure;
    const body = objects.get("sheet.json")?.body;
    if (!body || body === lastBody) return;
    lastBody = body;
    const { value } = JSON.parse(Buffer.from(body).toString()) as { value: Sheet };
    const { changes } = value;
    world.tell(`sheet: ${changes.length} ${changes.at(-1)}`);
    if (new Set(changes).size !== changes.length) {
      throw new Violation(`O3: ${changes.at(-1)} was applied twice`);
    }
    const lost = last.find((id, index) => changes[index] !== id);
    if (lost !== undefined) throw new Violation(`O3: ${lost} was overwritten`);
    const stranger = changes.find((id) => !open.has(id));
    if (stranger !== undefined) throw new Violation(`O3: nobody wrote ${stranger}`);
    last = changes;
  };
  await scheduler.runUntil(chaosMs, check);
  world.calm();
  trouble.end();
  const before = acknowledged.size;
  await scheduler.runUntil(chaosMs + lateMsMax + 40_000, check);
  const missing = [...acknowledged].find((id) => !last.includes(id));
  if (missing !== undefined)
    throw new Violation(`O3: ${missing} was acknowledged and is not there`);
  if (acknowledged.size === before) throw new Violation("O8: nothing was written in the calm");
}
