import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { usageError } from "../../base/usage-error.ts";
import {
  defineHandler,
  type Handler,
  type HandlerOptions,
  type ProcessSlot,
} from "../../worker/index.ts";

/**
 * The handlers of a file: every export that is a handler, and every handler in an exported list. A
 * plain object `{ kind, run }` is enough, so the file needs no installed package.
 */
export async function loadHandlers(file: string): Promise<readonly Handler<unknown>[]> {
  if (!existsSync(file)) throw wrong(file, "there is no such file");
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(pathToFileURL(file).href)) as typeof exported;
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    const hint = /\.[cm]?tsx?"? /.test(`${text} `)
      ? " (Node cannot run TypeScript here: compile it)"
      : "";
    throw wrong(file, `it cannot be loaded: ${text}${hint}`, cause);
  }
  const found = new Set(Object.values(exported).flat(1).filter(isHandler));
  if (found.size === 0)
    throw wrong(file, "it exports no handler; a handler is an object { kind, run }");
  return [...found].map(toHandler);
}

type Loose = HandlerOptions & Pick<Handler<unknown>, "kind" | "run"> & Partial<Handler<unknown>>;

function isHandler(value: unknown): value is Loose {
  if (typeof value !== "object" || value === null) return false;
  const { kind, run } = value as Partial<Loose>;
  return typeof kind === "string" && typeof run === "function";
}

const anything = { parse: (value: unknown) => value as never };

function toHandler({ kind, run, schema, ...options }: Loose): Handler<unknown> {
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  return defineHandler(
    kind,
    schema ? { parse: (value) => schema.parse(value) as never } : anything,
    run,
    given,
  );
}

/** A handler of the user replaces a built-in one of the same kind. */
export function joinHandlers<Services>(
  builtIn: readonly Handler<Services>[],
  loaded: readonly Handler<unknown>[],
): readonly Handler<Services>[] {
  const own = new Set(loaded.map(({ kind }) => kind));
  return [...loaded, ...builtIn.filter(({ kind }) => !own.has(kind))];
}

/** The handlers of a slot: those of its kinds, or of all kinds that no other slot has. */
export function chooseHandlers<Services>(
  handlers: readonly Handler<Services>[],
  { kinds, except = [], isWanted }: Pick<ProcessSlot, "kinds" | "except" | "isWanted">,
  file: string | undefined,
): readonly Handler<Services>[] {
  if (!kinds || isWanted) {
    const own = handlers.filter(({ kind }) => kinds?.includes(kind) ?? !except.includes(kind));
    return own.length > 0 ? own : [noWork];
  }
  return kinds.map((kind) => {
    const found = handlers.find((handler) => handler.kind === kind);
    if (found) return found;
    const known = handlers.map((handler) => handler.kind).join(", ");
    const why = `no handler for the kind "${kind}", only for ${known}`;
    throw file === undefined ? usageError(`there is ${why}`) : wrong(file, `it has ${why}`);
  });
}

/**
 * For a process whose slot has no kind of this node: it only sends heartbeats until it is stopped.
 */
export const noWorkKind = "no-work";
const noWork = defineHandler(noWorkKind, anything, () => {});

/** A usage error: the process exits with 2, and its supervisor does not replace it. */
const wrong = (file: string, why: string, cause?: unknown) =>
  usageError(`the handlers of ${file} cannot be used: ${why}`, { cause });
