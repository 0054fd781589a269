import { openRecordsIn, openSearchIn, type RecordsIn } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { userName } from "../../../config/index.ts";
import type { RecordKind, RecordSearch } from "../../../records/index.ts";
import type { SettingsContext } from "../../command.ts";
import type { ProgressHandle } from "../../progress.ts";

/** For who writes, or must know the last word. */
export const openRecordsOf = (context: SettingsContext): Promise<RecordsIn> =>
  withProgress(context, (options) => openRecordsIn(options));

/** For who searches and lists: milliseconds where nothing is new. */
export const openSearchOf = (context: SettingsContext): Promise<RecordSearch> =>
  withProgress(context, (options) => openSearchIn(options));

type OpenOptions = Parameters<typeof openRecordsIn>[0];

/** Records that are quickly brought up to date need no bar. */
const quietRecordsMax = 2_000;

async function withProgress<T>(
  context: SettingsContext,
  open: (options: OpenOptions) => Promise<T>,
): Promise<T> {
  const { paths, log, signal } = context;
  let shown: ProgressHandle | undefined;
  let before = 0;
  const onProgress: NonNullable<OpenOptions["onProgress"]> = ({ done, total }) => {
    if (!shown && done > quietRecordsMax) {
      shown = context.progress.start({
        label: "files and index",
        ...(total !== undefined && { total }),
      });
    }
    if (!shown) return;
    shown.advance(done - before);
    before = done;
  };
  try {
    return await open({ paths, log, user: userName(), onProgress, signal });
  } finally {
    shown?.done();
  }
}

/** What a kind of record is called in messages. */
export const nounOf = (kind: RecordKind): string => kind;

/** `1 company`, `2 companies`, `3 people`. */
export function countRecords(kind: RecordKind, count: number): string {
  if (count === 1) return countOf(1, kind);
  return countOf(count, kind).replace(
    /companys$|persons$/,
    kind === "company" ? "companies" : "people",
  );
}
