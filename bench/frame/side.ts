/**
 * What runs inside the process of one side (child.ts calls it, run-sides.ts is the parent).
 * A side is an exported function of a module. It prepares everything that is not to be measured
 * (opens its store, makes its payloads, fills its backlog) and returns what is.
 */
export type Side<Input> = (input: Input, context: SideContext) => Promise<Prepared>;

export interface SideContext {
  /** An empty folder of this run alone (shared by the processes of one run), removed after it. */
  readonly folder: string;
}

export interface Prepared {
  /** On the clock: from the parent's "go" until this resolves. May return further figures. */
  run(): Promise<Measured | void>;
  /** Off the clock: throws when the work was not really done (lost, doubled, not stored). */
  check?(): Promise<void>;
}

export type Measured = Readonly<Record<string, number>>;

/** Parent to child: first what to prepare, then the start signal. */
export type ToChild =
  | {
      readonly kind: "prepare";
      readonly module: string;
      readonly side: string;
      readonly input: unknown;
      readonly context: SideContext;
      /** Packages of this folder are taken instead of ours: they are built for this Node. */
      readonly packagesFolder?: string;
    }
  | { readonly kind: "go" };

/** Child to parent. "done" comes once the clock has stopped, "checked" ends the process. */
export type FromChild =
  | { readonly kind: "ready" }
  | { readonly kind: "done" }
  | {
      readonly kind: "checked";
      readonly elapsedMs: number;
      readonly measured: Measured;
      readonly rssBytesMax: number;
    }
  | { readonly kind: "failed"; readonly reason: string };
