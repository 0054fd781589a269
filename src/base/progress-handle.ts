/** Reports the progress of one long task. */
export interface ProgressHandle {
  advance(count?: number): void;
  /** For a total that is not known at the start, or changes. */
  setTotal(total: number): void;
  /** The step that is being done now, shown after the numbers. The next note replaces it. */
  note(text: string): void;
  /** Ends the progress line. May be called several times; all later calls do nothing. */
  done(summary?: string): void;
}
