import { AppError } from "../../base/app-error.ts";
import { createId } from "../../base/ids.ts";
import type { Change } from "../../ledger/index.ts";
import { idOf, textOf } from "../fields/company.ts";
import type { RecordsContext } from "../context.ts";
import {
  entryField,
  entryOf,
  entryValue,
  isCallbackOver,
  isTalk,
  type RecordEntry,
} from "../fields/entry.ts";
import { aliasPrefix } from "../fields/fields.ts";
import { recordOf } from "../search/gathering-index.ts";
import { checkId, randomLength } from "../fields/identity.ts";
import type { NewEntry, RenameRequest } from "../records.ts";
import { isSlug, slugOf } from "../files/slug.ts";

export async function addEntry(
  context: RecordsContext,
  target: string,
  request: NewEntry,
): Promise<RecordEntry> {
  const { random, clock, ledger } = context;
  const { kind, source, name: _name, recordKind: _kind, isDone: _done, id, ...rest } = request;
  if (id !== undefined) {
    checkId(id);
    const field = entryField({ kind, id });
    const written = (await ledger.read(target)).fields.find((one) => one.field === field);
    const known = written && entryOf(written);
    if (known) return known;
  }
  const at = request.at ?? new Date(clock.nowMs()).toISOString();
  const by = request.by ?? source.replace(/^hand:/, "");
  const entry: RecordEntry = {
    ...entryValue({ ...rest, at, by }),
    kind,
    id: id ?? createId(random, randomLength),
  };
  const changes: Change[] = [{ target, field: entryField(entry), value: entryValue(entry) }];
  if (entry.callback !== undefined) {
    changes.push({ target, field: "callback", value: entry.callback });
  } else if (endsCallback(entry, request, await callbackOf(context, target))) {
    changes.push({ target, field: "callback", unset: true });
  }
  await context.write({ source, changes });
  return entry;
}

async function callbackOf({ ledger }: RecordsContext, target: string): Promise<string | undefined> {
  return textOf((await ledger.read(target)).fields.find(({ field }) => field === "callback"));
}

const endsCallback = (
  entry: RecordEntry,
  { isDone = false }: NewEntry,
  callback: string | undefined,
): boolean =>
  callback !== undefined && (isDone || isTalk(entry) || isCallbackOver(callback, [entry]));

export async function renameRecord(
  context: RecordsContext,
  target: string,
  request: RenameRequest,
): Promise<void> {
  const { source, newName, newSlug, kind = "company" } = request;
  const old = recordOf(context.stored.find(target)!);
  const slug = newSlug ?? (newName === undefined ? old.slugWanted : slugOf(newName, idOf(target)));
  if (newSlug !== undefined && !isSlug(newSlug)) {
    const message = `"${newSlug}" cannot be a folder: use a-z, 0-9 and single dashes, as in ${slugOf(newSlug, idOf(target))}`;
    throw new AppError("invalid", "records_slug", message);
  }
  const holder = newSlug === undefined ? undefined : context.stored.bySlug(kind, newSlug);
  if (holder !== undefined && holder !== target) {
    const message = `${newSlug} is the folder of ${holder}: choose another, or merge the two`;
    throw new AppError("invalid", "records_slug_taken", message);
  }
  const changes: Change[] = [{ target, field: "slug", value: slug }];
  if (newName !== undefined) changes.push({ target, field: "name", value: newName });
  if (slug !== old.slug) {
    changes.push({ target, field: `${aliasPrefix}${old.slug}`, value: true });
    changes.push({ target, field: `${aliasPrefix}${slug}`, unset: true });
  }
  await context.write({ source, changes });
}
