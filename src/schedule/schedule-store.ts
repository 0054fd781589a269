import type { Ledger } from "../ledger/index.ts";
import { storedScheduleSchema, type Schedule } from "./schedule.ts";

/**
 * Schedules are facts of the ledger, so every node knows them. Each is one field of the same
 * target.
 */
const target = "schedule/all";
const lastPrefix = "last/";

type StoredIn = Pick<Ledger, "write"> & {
  read(target: string): Promise<Awaited<ReturnType<Ledger["read"]>>>;
};

export interface KnownSchedule {
  readonly schedule: Schedule;
  /** The newest occurrence that a node has decided, as far as this node knows. */
  readonly lastMs: number | undefined;
}

/** Sorted by name. Schedules that are damaged or written by a later version are left out. */
export async function readSchedules(
  ledger: Pick<StoredIn, "read">,
): Promise<readonly KnownSchedule[]> {
  const { fields } = await ledger.read(target);
  const values = new Map(fields.map(({ field, value }) => [field, value]));
  return [...values.keys()]
    .filter((name) => !name.startsWith(lastPrefix))
    .toSorted()
    .flatMap((name) => {
      const stored = storedScheduleSchema.safeParse(values.get(name));
      if (!stored.success) return [];
      const last = values.get(`${lastPrefix}${name}`);
      const lastMs = typeof last === "string" ? Date.parse(last) : NaN;
      return [
        {
          schedule: { name, ...stored.data },
          lastMs: Number.isNaN(lastMs) ? undefined : lastMs,
        },
      ];
    });
}

export async function writeSchedule(
  ledger: Pick<StoredIn, "write">,
  { name, ...schedule }: Schedule,
  source: string,
): Promise<void> {
  await ledger.write({ source, changes: [{ target, field: name, value: schedule }] });
}

export async function eraseSchedule(
  ledger: Pick<StoredIn, "write">,
  name: string,
  source: string,
): Promise<void> {
  const fields = [name, `${lastPrefix}${name}`];
  await ledger.write({
    source,
    changes: fields.map((field) => ({ target, field, unset: true as const })),
  });
}

export async function writeLast(
  ledger: Pick<StoredIn, "write">,
  name: string,
  atMs: number,
): Promise<void> {
  const value = new Date(atMs).toISOString();
  await ledger.write({
    source: "system",
    changes: [{ target, field: `${lastPrefix}${name}`, value }],
  });
}
