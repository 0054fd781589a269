import { loadNode, openNodeReader, type NodeReader } from "../../app/index.ts";
import { readVersion } from "../../base/version.ts";
import { userName } from "../../config/index.ts";
import type { NodeApi, ProcessKind } from "../../node/index.ts";
import type { RecordsProgress } from "../../records/index.ts";
import type { SettingsContext } from "./command.ts";
import type { ProgressHandle } from "../../base/progress-handle.ts";

/**
 * For a command that writes: it owns the data folder while it runs, or sends requests to the owner.
 */
export async function openNodeOf(
  context: SettingsContext,
  kind: Exclude<ProcessKind, "service"> = "command",
): Promise<NodeApi & AsyncDisposable> {
  const { paths, log, signal } = context;
  context.markChange();
  const { openNodeIn } = await loadNode();
  const bar = fillBar(context);
  try {
    const node = await openNodeIn({
      kind,
      paths,
      log,
      user: userName(),
      version: readVersion(),
      onProgress: (progress) => bar.onProgress(progress),
      signal,
    });
    return { ...node.api, [Symbol.asyncDispose]: () => node.close() };
  } finally {
    bar.done();
  }
}

/** For a command that only reads. */
export const openReaderOf = ({ paths, log, out }: SettingsContext): Promise<NodeReader> =>
  openNodeReader({ paths, log, version: readVersion(), note: (text) => out.note(text) });

/** With fewer records, no progress bar is shown. */
const quietRecordsMax = 2_000;

/** A progress bar for updating files and index from the ledger, if that takes long. */
function fillBar({ progress }: Pick<SettingsContext, "progress">) {
  let shown: ProgressHandle | undefined;
  let before = 0;
  return {
    onProgress({ done, total }: RecordsProgress) {
      if (!shown && done > quietRecordsMax) {
        shown = progress.start({
          label: "files and index",
          ...(total !== undefined && { total }),
        });
      }
      if (!shown) return;
      shown.advance(done - before);
      before = done;
    },
    done: () => shown?.done(),
  };
}
