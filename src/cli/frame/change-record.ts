/** The functions with which a command reports its changes to the audit log. */
export interface ChangeRecord {
  /**
   * Reads the state that the command is about to change, and reads it again when the result is
   * disposed. Declare it after what `read` uses: `await using _state = await recordState(…)`.
   */
  readonly recordState: (read: () => Promise<unknown>) => Promise<AsyncDisposable>;
  /** For a command that knows the old values, or counts what it exported. */
  readonly recordChange: (change: RecordedChange) => void;
}

export interface RecordedChange {
  readonly before?: unknown;
  readonly after?: unknown;
}

export function createChangeRecord(): ChangeRecord & { readonly recorded: () => RecordedChange } {
  let recorded: RecordedChange = {};
  return {
    recorded: () => recorded,
    recordChange: (change) => void (recorded = change),
    async recordState(read) {
      // A state that cannot be read is not recorded; the command itself reports the error.
      const readQuietly = () => read().catch(() => undefined);
      const before = await readQuietly();
      return {
        async [Symbol.asyncDispose]() {
          const { changedParts } = await import("../../audit/index.ts");
          recorded = changedParts(before, await readQuietly());
        },
      };
    },
  };
}
