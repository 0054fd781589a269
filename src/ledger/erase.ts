import { AppError } from "../base/app-error.ts";
import {
  checkField,
  checkSource,
  checkTarget,
  commitFieldsMax,
  encodeValue,
} from "./datagram/check-input.ts";
import type { DatagramDraft } from "./core.ts";
import { referenceOf, type Datagram } from "./datagram/datagram.ts";
import { erasedPrefix, isMarker, markerOf, type Markers } from "./fold/erased.ts";
import { seenBy, visibleOf } from "./fold/lane.ts";
import { forgetRegister } from "./forget.ts";
import {
  forgottenField,
  mergedIntoField,
  partCount,
  partOf,
  type TargetState,
} from "./fold/part-state.ts";

/** Fields to take away for good, with everything that was ever written to them. */
export interface Erasure {
  readonly target: string;
  readonly fields: readonly string[];
  /**
   * Fields whose value is a list with names of fields, or has one as its member `list`. The erased
   * ones are taken out of it, and its earlier values go too, because they have the names as well.
   * `field` may be a prefix that ends in `/`: all elements.
   */
  readonly mentions?: readonly { readonly field: string; readonly list?: string }[];
}

export interface EraseRequest {
  readonly source: string;
  readonly erasures: readonly Erasure[];
}

export interface FieldsWithPrefix {
  readonly targets: readonly string[];
  readonly prefixes: readonly string[];
}

/** A field that has a history, whether it has a value or not. */
export interface KnownField {
  readonly target: string;
  readonly field: string;
  /** When it was last written or unset. */
  readonly stamp: string;
  readonly hasValue: boolean;
}

/**
 * The registers of what was erased, so that logs can be scrubbed: the element `field/SALT.HASH` for a
 * marker `erased/SALT.HASH`, with the target as its value. Spread over a few, because they grow with
 * every field. `system/forgotten` has the element `erased` if there is anything in them.
 */
export const eraseRegisters: readonly string[] = Array.from(
  { length: 16 },
  (_, at) => `system/erased-${at.toString(16)}`,
);
const elementPrefix = "field/";
const elementOf = (marker: string) => `${elementPrefix}${marker.slice(erasedPrefix.length)}`;
export const hasErasedField = "erased";
const registerOf = (target: string): string =>
  eraseRegisters[Math.floor((partOf(target) * eraseRegisters.length) / partCount)]!;

/** No target has more fields with such lists. */
const mentionsMax = 100;

/** Whole erasures for one commit each. */
export function* commitsOf(erasures: readonly Erasure[]): Generator<readonly Erasure[]> {
  let some: Erasure[] = [];
  let count = 0;
  for (const one of erasures) {
    // A removal and two markers for each field, a value and two markers for each mention, and a flag.
    const drafts = 3 * (one.fields.length + mentionsMax) + 1;
    if (some.length > 0 && count + drafts > commitFieldsMax) {
      yield some;
      [some, count] = [[], 0];
    }
    some.push(one);
    count += drafts;
  }
  if (some.length > 0) yield some;
}

/** More fields of one target do not fit into a commit. */
const fieldsMax = 3_000;

export function checkErasures({ source, erasures }: EraseRequest): void {
  checkSource(source);
  for (const { target, fields, mentions = [] } of erasures) {
    checkTarget(target);
    if (fields.length + mentions.length > fieldsMax) {
      const message = `${fields.length} fields of ${target} to erase; one call takes at most ${fieldsMax}`;
      throw new AppError("invalid", "ledger_commit_too_big", message);
    }
    for (const field of [...fields, ...mentions.map((one) => one.field.replace(/\/$/, ""))]) {
      checkField(field);
      if (field !== forgottenField && field !== mergedIntoField && !isMarker(field)) continue;
      throw new AppError("invalid", "ledger_erase", `${field} of ${target} cannot be erased`);
    }
  }
}

interface ErasePlan extends EraseRequest {
  readonly fieldsOf: (target: string) => TargetState | undefined;
  readonly salt: string;
}

/**
 * The datagrams of one commit. Earlier versions do not know markers, but they obey the removals, which
 * the marker erases as well.
 */
export function eraseDrafts({ fieldsOf, salt, source, erasures }: ErasePlan): DatagramDraft[] {
  const drafts = erasures.flatMap(({ target, fields, mentions = [] }): DatagramDraft[] => {
    const known = fieldsOf(target);
    const gone = new Set(fields.filter((field) => known?.has(field)));
    if (!known || gone.size === 0) return [];
    const unset = [...gone].flatMap((field): DatagramDraft[] => {
      const cell = known.get(field)!;
      if (visibleOf(cell) === undefined) return [];
      const seen = seenBy(cell, { source, field });
      return [
        { target, field, value: undefined, source, causality: seen ? referenceOf(seen) : "" },
      ];
    });
    const listing = mentions.flatMap(({ field: name, list }) =>
      [...known.keys()]
        .filter((field) => (name.endsWith("/") ? field.startsWith(name) : field === name))
        .filter((field) => !gone.has(field))
        .map((field) => ({ field, list })),
    );
    const rewritten = listing.flatMap(({ field, list }): DatagramDraft[] => {
      const last = visibleOf(known.get(field)!);
      if (!last) return [];
      return [
        {
          target,
          field,
          value: encodeValue(field, withoutElements(last, list, gone)).json,
          source: last.source,
          causality: referenceOf(last),
        },
      ];
    });
    const markers = [...gone, ...listing.map((one) => one.field)].flatMap((field) => {
      const marker = markerOf(salt, { target, field });
      const place = { field: marker, source, causality: "" };
      return [
        // What kind of field it was, for people.
        { ...place, target, value: JSON.stringify(field.split("/")[0]) },
        { ...place, target: registerOf(target), field: elementOf(marker), value: JSON.stringify(target) }, // prettier-ignore
      ];
    });
    return [...unset, ...rewritten, ...markers];
  });
  const flag = { target: forgetRegister, field: hasErasedField, value: "true" };
  return drafts.length === 0 ? [] : [...drafts, { ...flag, source, causality: "" }];
}

function withoutElements(
  { value: json }: Datagram,
  list: string | undefined,
  gone: ReadonlySet<string>,
): unknown {
  const value = JSON.parse(json!) as unknown;
  const left = (names: unknown) =>
    Array.isArray(names) ? names.filter((one) => !gone.has(one as string)) : names;
  if (list === undefined) return left(value);
  if (typeof value !== "object" || value === null || !(list in value)) return value;
  return { ...value, [list]: left((value as Readonly<Record<string, unknown>>)[list]) };
}

/** What the registers list: by target, the markers and their stamps. */
export function erasedFields(shards: readonly (TargetState | undefined)[]) {
  const erased = new Map<string, Map<string, string>>();
  for (const [field, cell] of shards.flatMap((shard) => [...(shard ?? [])])) {
    const write = field.startsWith(elementPrefix) ? visibleOf(cell) : undefined;
    const target = write && (JSON.parse(write.value!) as unknown);
    if (typeof target !== "string") continue;
    const markers = erased.get(target) ?? new Map<string, string>();
    const marker = `${erasedPrefix}${field.slice(elementPrefix.length)}`;
    erased.set(target, markers.set(marker, write!.stamp));
  }
  return erased as ReadonlyMap<string, Markers>;
}

/** The fields of some targets whose name begins with one of the prefixes. */
export const knownFields = (
  { targets, prefixes }: FieldsWithPrefix,
  fieldsOf: (target: string) => TargetState | undefined,
): readonly KnownField[] =>
  targets.flatMap((target) =>
    [...(fieldsOf(target) ?? [])].flatMap(([field, cell]): KnownField[] => {
      if (!prefixes.some((prefix) => field.startsWith(prefix))) return [];
      const written = [...cell.lanes.map((entry) => entry?.datagram), ...cell.conflicts];
      const stamp = written.map((one) => one?.stamp ?? "").sort().at(-1)!; // prettier-ignore
      return [{ target, field, stamp, hasValue: visibleOf(cell) !== undefined }];
    }),
  );
