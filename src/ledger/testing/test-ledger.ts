import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom, type Random } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryDisk } from "./memory-disk.ts";
import { createMemoryState, type MemoryStateContent } from "../state/memory-state.ts";
import { openLedger, type Ledger } from "../ledger.ts";

export interface TestLedgerOptions {
  /** The content of its disk, which survives restarts of one node. */
  readonly files?: Map<string, Uint8Array>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly label?: string;
  readonly isReader?: boolean;
  /** Its folded state, which survives restarts of one node; absent: each start builds a new one. */
  readonly state?: MemoryStateContent;
}

let seeds = 1;

/** A ledger in memory. */
export function openTestLedger(options: TestLedgerOptions = {}): Promise<Ledger> {
  const { files = new Map<string, Uint8Array>(), label = "test", isReader = false } = options;
  const { clock = createTestClock(), random = createSeededRandom(seeds++) } = options;
  const disk = createMemoryDisk({ files });
  const { state } = options;
  // With a kept state, every write is saved, so that tests see the state.
  const kept = state && { openState: () => createMemoryState(state), unsavedMax: 1 };
  return openLedger({ disk, clock, random, log: silentLogger, label, isReader, ...kept });
}

/** Field → value. */
export async function valuesOf(ledger: Ledger, target: string) {
  const { fields } = await ledger.read(target);
  return Object.fromEntries(fields.map(({ field, value }) => [field, value]));
}
