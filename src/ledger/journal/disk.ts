export interface FileStat {
  readonly bytes: number;
  /** Another text whenever somebody wrote to the file. */
  readonly changed: string;
}

/**
 * The folder in which a node keeps its ledger. One process writes at a time. Names are relative,
 * with `/`; every method takes names that we made, never what arrived.
 * - What `append` and `replace` resolved survives a power cut.
 * - An `append` that rejects, or that a crash cut short, may have left any part of its bytes.
 * - A disk that fails throws AppError (`unavailable` where space or luck may return).
 */
export interface LedgerDisk extends AsyncDisposable {
  /** Names of all files below a folder, in order. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined: there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Undefined: there is no such file. */
  stat(name: string): Promise<FileStat | undefined>;
  /** At most that many bytes from there on; fewer at the end. Undefined: there is no such file. */
  readAt(name: string, from: number, length: number): Promise<Uint8Array | undefined>;
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** Cuts a file to that many bytes. */
  truncate(name: string, bytes: number): Promise<void>;
  /** The whole content, at once: a reader sees the old one or the new one. */
  replace(name: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** What is not there is no error. */
  remove(name: string): Promise<void>;
}
