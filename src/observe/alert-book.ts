/** Something that is the matter at the moment of a reading. */
export interface Trouble {
  readonly name: TroubleName;
  /** What sort of part it is the matter with. */
  readonly of: "kind" | "shard" | "worker" | "node";
  readonly part: string;
  /** For how long already. */
  readonly forMs: number;
  /** Tasks that could run meanwhile, where that is known. */
  readonly claimable?: number;
  /** For people, where the name alone does not say it. */
  readonly what?: string;
}

export const troubleNames = ["stall", "stuck", "yield_stall", "zombie", "differs"] as const;
export type TroubleName = (typeof troubleNames)[number];

export interface AlertEvent extends Omit<Trouble, "name"> {
  readonly event: `${TroubleName}_${"began" | "ended"}`;
}

/** Remembers what is the matter, so that each trouble is told once when it begins and once when it ends. */
export interface AlertBook {
  /** All that is the matter now: what is left out has ended. */
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
