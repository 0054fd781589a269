import { systemClock, type Clock } from "../../base/clock.ts";
import type { QueueStore } from "../queue-store.ts";

/** How another process opens the same store: a function of a module, and its options. */
export interface SharedStore {
  /** The URL of the module, from `import.meta.resolve`. */
  readonly module: string;
  readonly open: string;
  /** JSON; the clock is added. */
  readonly options: Readonly<Record<string, unknown>>;
}

type Open = (options: { readonly clock: Clock }) => QueueStore | Promise<QueueStore>;

export async function openSharedStore({ module, open, options }: SharedStore): Promise<QueueStore> {
  const exported = (await import(module)) as Readonly<Record<string, Open>>;
  const openStore = exported[open];
  if (!openStore) throw new Error(`${module} exports no ${open}`);
  return openStore({ ...options, clock: systemClock });
}
