/**
 * A waiting line of limited size. The next is the caller that asked first and is still asking. So a
 * flood of guesses from ever new addresses cannot keep a user out: from the second attempt on, the
 * user is ahead of them. A caller gets one turn before others get theirs, however many attempts it
 * makes at once.
 */
export interface WaitingLine {
  readonly size: () => number;
  /** True when it is the caller's turn. False if the line is full of callers that asked before. */
  join(asker: Asker): Promise<boolean>;
  next(): void;
}

/** An address or browser that sends attempts. */
export interface Asker {
  readonly id: string;
  /** When it began to ask; it has repeated the request since then. */
  readonly sinceMs: number;
}

interface Waiting extends Asker {
  /** How many attempts of the same caller were ahead of it in the line. */
  readonly round: number;
  readonly answer: (isTheirTurn: boolean) => void;
}

export function createWaitingLine(max: number): WaitingLine {
  /** Sorted by turn. */
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
