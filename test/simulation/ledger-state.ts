import {
  createMemoryState,
  emptyStateContent,
  type MemoryStateContent,
} from "../../src/ledger/state/memory-state.ts";
import type { StateBatch, StateStore } from "../../src/ledger/state/state-store.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** The folded state on a machine's disk: what was saved may be lost again, the last first. */
export interface MachineState {
  open(world: World, node: SimNode): StateStore;
  /** Somebody removes it while the machine is down. */
  lose(): void;
  /** For a disk that is cloned. */
  copy(): MachineState;
}

const [lost, older] = [0.1, 0.3];
/** How many of the last batches a power cut may take back. */
const unsafeMax = 4;

export function createMachineState(begin: MemoryStateContent = emptyStateContent()): MachineState {
  let safe = begin;
  let unsafe: (StateBatch | "clear")[] = [];
  const change = (store: StateStore, batch: StateBatch | "clear") => {
    if (batch === "clear") store.clear();
    else store.apply(batch);
  };
  const contentNow = () => {
    const content = structuredClone(safe);
    const store = createMemoryState(content);
    for (const batch of unsafe) change(store, batch);
    return content;
  };
  const keep = (batch: StateBatch | "clear") => {
    unsafe.push(batch);
    if (unsafe.length > unsafeMax) change(createMemoryState(safe), unsafe.shift()!);
  };
  return {
    open({ random, note }, node) {
      const draw = random.next();
      if (draw < lost) {
        [safe, unsafe] = [emptyStateContent(), []];
        note("stateLost");
      } else if (draw < older) {
        unsafe = unsafe.slice(0, random.below(unsafe.length + 1));
        note("stateOlder");
      }
      const store = createMemoryState(contentNow());
      return {
        ...store,
        apply(batch) {
          if (!node.isAlive()) return;
          store.apply(batch);
          keep(batch);
        },
        clear() {
          if (!node.isAlive()) return;
          store.clear();
          keep("clear");
        },
      };
    },
    lose: () => void ([safe, unsafe] = [emptyStateContent(), []]),
    copy: () => createMachineState(contentNow()),
  };
}
