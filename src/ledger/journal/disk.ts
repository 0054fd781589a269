export interface FileStat {
  readonly bytes: number;
  /** A text that changes whenever the file is written. */
  readonly changed: string;
}

/**
 * The folder in which a node keeps its ledger. One process writes at a time. Names are relative,
 * with `/`, and made by us, never taken from input.
 * - What `append` and `replace` resolved survives a power cut.
 * - An `append` that rejects, or that a crash interrupts, may leave any part of its bytes.
 * - A failing disk throws AppError (`unavailable` if a retry may succeed).
 */
export interface LedgerDisk extends AsyncDisposable {
  /** Names of all files below a folder, in order. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined: there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Undefined: there is no such file. */
  stat(name: string): Promise<FileStat | undefined>;
  /**
   * At most `length` bytes from `from`; fewer at the end of the file. Undefined: there is no such
   * file.
   */
  readAt(name: string, from: number, length: number): Promise<Uint8Array | undefined>;
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** Cuts a file to `bytes` bytes. */
  truncate(name: string, bytes: number): Promise<void>;
  /** Replaces the whole content atomically: a reader sees the old content or the new one. */
  replace(name: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
}
