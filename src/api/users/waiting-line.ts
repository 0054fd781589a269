/**
 * A line of limited size in which the next is who asked first and still asks. So a flood of guesses
 * from ever new addresses cannot keep a person out: it is behind the person from the second try on.
 * A place has one turn before others have theirs, however many attempts it makes at once.
 */
export interface WaitingLine {
  readonly size: () => number;
  /** True: it is their turn. False: the line is full of others who asked before. */
  join(asker: Asker): Promise<boolean>;
  next(): void;
}

/** An address or browser from which attempts come. */
export interface Asker {
  readonly id: string;
  /** When it began to ask; it has asked again and again since. */
  readonly sinceMs: number;
}

interface Waiting extends Asker {
  /** How many of the same place were before it in the line. */
  readonly round: number;
  readonly answer: (isTheirTurn: boolean) => void;
}

export function createWaitingLine(max: number): WaitingLine {
  /** Whose turn is first stands first. */
  const waiting: Waiting[] = [];
  return {
    size: () => waiting.length,
    join(asker) {
      return new Promise((answer) => {
        const round = waiting.filter(({ id }) => id === asker.id).length;
        const isBehind = (one: Waiting) => one.round > round || (one.round === round && one.sinceMs > asker.sinceMs); // prettier-ignore
        const at = waiting.findIndex(isBehind);
        waiting.splice(at === -1 ? waiting.length : at, 0, { ...asker, round, answer });
        if (waiting.length > max) waiting.pop()!.answer(false);
      });
    },
    next: () => waiting.shift()?.answer(true),
  };
}
