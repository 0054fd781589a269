import type { NodeView } from "../fleet/index.ts";
import type {
  BucketVerified,
  Commit,
  ConflictPage,
  Datagram,
  LogOutline,
  Dot,
  FieldsWithPrefix,
  KnownField,
  LedgerStatus,
  Preview,
  Synced,
  TargetView,
  Written,
} from "../ledger/index.ts";
import type {
  ContactUsage,
  Created,
  CreateRequest,
  Duplicate,
  DuplicatePair,
  FindPairsOptions,
  HistoryRequest,
  Indexed,
  Ingested,
  IngestOptions,
  RecordKind,
  RecordPage,
  RecordProblem,
  RecordQuery,
  Records,
  RecordsProgress,
  RestoreRequest,
  WatchOptions,
} from "../records/index.ts";

/**
 * What a process can do with a data folder, whether it owns the folder or is a client of the
 * process that does. All arguments and results are JSON values. A `Watch` is always the last
 * argument; it reports progress and can end a call early.
 */
export interface NodeApi {
  readonly ledger: NodeLedger;
  readonly records: NodeRecords;
  readonly fleet: NodeFleet;
  readonly wake: NodeWake;
}

export interface Watch<P = never> {
  readonly onProgress?: (progress: P) => void;
  readonly signal?: AbortSignal;
}

/** The methods are those of `Ledger`. A bucket is named by its address; the owner opens it. */
export interface NodeLedger {
  status(): Promise<LedgerStatus>;
  write(commit: Commit): Promise<Written>;
  read(target: string): Promise<TargetView>;
  readAll(targets: readonly string[]): Promise<readonly TargetView[]>;
  /** Datagrams since the checkpoint, from the given position on. Empty: there are no more. */
  log(page: { readonly from: number; readonly limit: number }): Promise<readonly Datagram[]>;
  outline(): Promise<readonly LogOutline[]>;
  writtenOf(targets: readonly string[]): Promise<readonly Datagram[]>;
  writtenAfter(stamp: string, sourcePrefix?: string): Promise<readonly Datagram[]>;
  vector(): Promise<Readonly<Record<string, number>>>;
  digest(): Promise<string>;
  conflicts(page: { readonly after?: string; readonly limit: number }): Promise<ConflictPage>;
  restore(request: RestoreLoser): Promise<Written>;
  quarantine(): Promise<readonly Datagram[]>;
  restamp(dot: Dot): Promise<Written>;
  forget(request: ForgetTarget): Promise<number>;
  unforget(request: ForgetTarget): Promise<Written>;
  knownFields(request: FieldsWithPrefix): Promise<readonly KnownField[]>;
  suppressed(keys: readonly string[]): Promise<readonly string[]>;
  unscrubbed(): Promise<number>;
  sync(request: SyncRequest, watch?: Watch<StepProgress>): Promise<Synced>;
  preview(request: AtBucket): Promise<Preview>;
  push(request: AtBucket): Promise<number>;
  verify(request: VerifyRequest, watch?: Watch<StepProgress>): Promise<BucketVerified>;
  acceptLoss(): Promise<{ readonly lost: number; readonly moved: number }>;
}

export interface RestoreLoser {
  readonly target: string;
  readonly dot: Dot;
  readonly source: string;
}

export interface ForgetTarget {
  readonly target: string;
  readonly source: string;
}

export interface AtBucket {
  /** Its address, with everything needed to open it. */
  readonly bucket: string;
}

export interface SyncRequest extends AtBucket {
  readonly isLight?: boolean;
  readonly isRepairing?: boolean;
}

export interface VerifyRequest extends AtBucket {
  readonly isRepairing?: boolean;
}

export interface StepProgress {
  readonly done: number;
  readonly total: number;
}

type SameRecords = Pick<
  Records,
  | "company"
  | "person"
  | "write"
  | "writeAll"
  | "create"
  | "createAll"
  | "createPerson"
  | "duplicatesOf"
  | "addEntry"
  | "rename"
  | "merge"
  | "forget"
  | "erase"
  | "remains"
>;

/** The methods are those of `Records` and of its index. */
export interface NodeRecords extends SameRecords {
  resolve(kind: RecordKind, name: string): Promise<string | undefined>;
  fileOf(target: string): Promise<string | undefined>;
  problems(): Promise<readonly RecordProblem[]>;
  /** With `bucket`, the datagrams in its archive are included. */
  history(
    request: Omit<HistoryRequest, "archive"> & Partial<AtBucket>,
  ): ReturnType<Records["history"]>;
  planRestore(
    request: Omit<RestoreRequest, "archive" | "source"> & Partial<AtBucket>,
  ): ReturnType<Records["planRestore"]>;
  restoreAt(request: Omit<RestoreRequest, "archive"> & Partial<AtBucket>): Promise<Written>;
  ingest(
    request: Omit<IngestOptions, "onProgress">,
    watch?: Watch<RecordsProgress>,
  ): ReturnType<Records["ingest"]>;
  /** Ingests hand edits as they are made, until the signal ends it. */
  watch(request: Omit<WatchOptions, "onIngested">, watch: Watch<Ingested>): Promise<void>;
  catchUp(watch?: Watch<RecordsProgress>): ReturnType<Records["catchUp"]>;
  rebuild(watch?: Watch<RecordsProgress>): ReturnType<Records["rebuild"]>;
  /** What `createAll` would return, without writing anything. */
  planAll(requests: readonly CreateRequest[]): Promise<readonly PlannedCreate[]>;
  /** Companies that may be the same as these, in their order, from the index alone. */
  similar(targets: readonly string[]): Promise<readonly (readonly Duplicate[])[]>;
  find(target: string): Promise<Indexed | undefined>;
  byDomain(domain: string): Promise<readonly string[]>;
  search(query: RecordQuery): Promise<RecordPage>;
  count(query: Omit<RecordQuery, "limit" | "after">, max: number): Promise<number>;
  emailUsage(address: string): Promise<ContactUsage>;
  domainUsage(domain: string): Promise<ContactUsage>;
  /** Companies that may be the same, with the evidence; certain ones first. */
  duplicatePairs(options: FindPairsOptions): Promise<readonly DuplicatePair[]>;
}

export type PlannedCreate = Pick<Created, "outcome" | "target">;

/** What the fleet wants from this node, and what its processes report. */
export interface NodeFleet {
  /** Undefined: the owner runs no services (it is a short command). */
  view(): Promise<NodeView | undefined>;
  /**
   * Registers a process of the node that runs tasks. Progress delivers the desired state of the
   * process, now and whenever it changes; answer each by `report`. Ends with the signal.
   */
  attach(report: ProcessReport, watch: Watch<ProcessDesired>): Promise<void>;
  report(report: ProcessReport): Promise<void>;
}

/** What one process of the node does, for the node's heartbeat. */
export interface ProcessReport {
  /** Made by the process, unique among those of the node. */
  readonly process: string;
  readonly pid: number;
  /** By kind: how many tasks may run at once, and how many run. */
  readonly kinds: Readonly<Record<string, readonly [number, number]>>;
  readonly alerts: readonly string[];
  /** The last desired state that the process applied; undefined: none yet. */
  readonly applied?: {
    readonly number: number;
    readonly what: string;
    readonly faults: readonly string[];
  };
}

export interface ProcessDesired {
  /** Increases with each change; `report` names it. */
  readonly number: number;
  readonly state: "working" | "paused" | "drained";
  readonly stateRevision: number;
  readonly workers: Readonly<Record<string, string>>;
}

/** Informs the processes of all nodes that tasks were added to a queue that they share. */
export interface NodeWake {
  added(): Promise<void>;
  /** Progress is called whenever another process or node added tasks. Ends with the signal. */
  listen(watch: Watch<true>): Promise<void>;
}
