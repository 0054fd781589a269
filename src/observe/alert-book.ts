/** A problem at the moment of a reading. */
export interface Trouble {
  readonly name: TroubleName;
  /** The sort of part that has the problem. */
  readonly of: "kind" | "shard" | "worker" | "node";
  readonly part: string;
  /** How long it has lasted. */
  readonly forMs: number;
  /** Tasks that could run meanwhile, if known. */
  readonly claimable?: number;
  /** Details for people, if the name does not say it all. */
  readonly what?: string;
}

export const troubleNames = ["stall", "stuck", "yield_stall", "zombie", "differs"] as const;
export type TroubleName = (typeof troubleNames)[number];

export interface AlertEvent extends Omit<Trouble, "name"> {
  readonly event: `${TroubleName}_${"began" | "ended"}`;
}

/**
 * Remembers the current problems, so that each is reported once when it begins and once when it
 * ends.
 */
export interface AlertBook {
  /** Takes all current problems: any that is missing has ended. */
  update(troubles: readonly Trouble[]): readonly AlertEvent[];
  now(): readonly AlertEvent[];
}

export function createAlertBook(): AlertBook {
  let known = new Map<string, Trouble>();
  const keyOf = ({ name, of, part }: Trouble) => JSON.stringify([name, of, part]);

  return {
    update(troubles) {
      const before = known;
      known = new Map(troubles.map((trouble) => [keyOf(trouble), trouble]));
      const began = [...known].filter(([key]) => !before.has(key));
      const ended = [...before].filter(([key]) => !known.has(key));
      return [
        ...began.map(([, trouble]) => eventOf(trouble, "began")),
        ...ended.map(([, trouble]) => eventOf(trouble, "ended")),
      ];
    },
    now: () => [...known.values()].map((trouble) => eventOf(trouble, "began")),
  };
}

function eventOf({ name, ...trouble }: Trouble, what: "began" | "ended"): AlertEvent {
  return { event: `${name}_${what}`, ...trouble };
}
