/** How far one long task is, for whoever shows it. */
export interface ProgressHandle {
  advance(count?: number): void;
  /** For a total that is known only later, or changes. */
  setTotal(total: number): void;
  /** What is being done right now, behind the numbers. Replaced by the next one. */
  note(text: string): void;
  /** Ends the line. Safe to repeat; later calls of any method do nothing. */
  done(summary?: string): void;
}
