import { AppError } from "../base/app-error.ts";
import {
  checkField,
  checkSource,
  checkTarget,
  commitFieldsMax,
  encodeValue,
} from "./datagram/check-input.ts";
import type { Core, DatagramDraft } from "./core.ts";
import { referenceOf, type Datagram } from "./datagram/datagram.ts";
import { erasedPrefix, isMarker, markerOf, type Markers } from "./fold/erased.ts";
import type { Cell } from "./fold/cell.ts";
import { createTextFinder } from "./erase-texts.ts";
import { seenBy, visibleOf } from "./fold/lane.ts";
import { forgetRegister } from "./forget.ts";
import { writtenOf } from "./log.ts";
import type { Replica } from "./replica/replica.ts";
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
   * Fields whose value has a list with names of fields. The erased ones are taken out of it, and its
   * earlier values go too, because they have the names as well. A prefix that ends in `/`: all
   * elements.
   */
  readonly mentions?: readonly string[];
  /**
   * Texts, such as the address, that must not stay in other fields of the target either: fields that
   * have one in their name are erased, in values they become `…`, and earlier values go too.
   */
  readonly texts?: readonly string[];
}

/** An erasure with all fields that it concerns. */
export interface PlannedErasure extends Erasure {
  /** Fields that get a new value, or only lose their earlier ones. */
  readonly rewritten: readonly string[];
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

/** More fields of one target do not fit into a commit. */
const fieldsMax = 3_000;

/**
 * Finds the fields, also those whose value with a text was overwritten: it is in the journals alone.
 * More fields than fit into a commit are left for the next erasure.
 */
export async function planErasures(core: Core, replica: Replica, erasures: readonly Erasure[]) {
  const targets = erasures.map(({ target }) => target);
  const written = new Map(targets.map((target) => [target, new Array<Datagram>()]));
  for (const one of await writtenOf(core, targets)) written.get(one.target)!.push(one);
  return replica.withTargets(targets, (fieldsOf) => plansOf(erasures, fieldsOf, written));
}

const plansOf = (
  erasures: readonly Erasure[],
  fieldsOf: (target: string) => TargetState | undefined,
  written: ReadonlyMap<string, readonly Datagram[]>,
): readonly PlannedErasure[] =>
  erasures.flatMap((erasure): PlannedErasure[] => {
    const { target, mentions = [] } = erasure;
    const known = fieldsOf(target);
    if (!known) return [];
    const finder = createTextFinder(erasure);
    const hasText = ({ value }: Datagram) =>
      value !== undefined && finder.isIn(JSON.parse(value) as unknown);
    const found = new Set(written.get(target)!.flatMap((one) => (hasText(one) ? [one.field] : [])));
    const isListing = (field: string) =>
      mentions.some((name) => (name.endsWith("/") ? field.startsWith(name) : field === name));
    const names = [...known.keys()].filter((field) => !isProtected(field));
    const fields = new Set([...erasure.fields, ...names.filter((name) => finder.isIn(name))]);
    const rewritten = names.filter(
      (field) =>
        !fields.has(field) &&
        (found.has(field) || isListing(field) || writesOf(known.get(field)!).some(hasText)),
    );
    return [
      {
        ...erasure,
        fields: [...fields].slice(0, fieldsMax),
        rewritten: rewritten.slice(0, Math.max(0, fieldsMax - fields.size)),
      },
    ];
  });

/** The last writes to a field, and those that lost. */
const writesOf = ({ lanes, conflicts }: Cell): readonly Datagram[] => [
  ...lanes.flatMap((entry) => entry?.datagram ?? []),
  ...conflicts,
];

const isProtected = (field: string): boolean =>
  field === forgottenField || field === mergedIntoField || isMarker(field);

/** Whole erasures for one commit each. */
export function* commitsOf(
  erasures: readonly PlannedErasure[],
): Generator<readonly PlannedErasure[]> {
  let some: PlannedErasure[] = [];
  let count = 0;
  for (const one of erasures) {
    // A removal or a value, and two markers, for each field; and a flag.
    const drafts = 3 * (one.fields.length + one.rewritten.length) + 1;
    if (some.length > 0 && count + drafts > commitFieldsMax) {
      yield some;
      [some, count] = [[], 0];
    }
    some.push(one);
    count += drafts;
  }
  if (some.length > 0) yield some;
}

export function checkErasures({ source, erasures }: EraseRequest): void {
  checkSource(source);
  for (const { target, fields, mentions = [] } of erasures) {
    checkTarget(target);
    if (fields.length + mentions.length > fieldsMax) {
      const message = `${fields.length} fields of ${target} to erase; one call takes at most ${fieldsMax}`;
      throw new AppError("invalid", "ledger_commit_too_big", message);
    }
    for (const field of [...fields, ...mentions.map((one) => one.replace(/\/$/, ""))]) {
      checkField(field);
      if (!isProtected(field)) continue;
      throw new AppError("invalid", "ledger_erase", `${field} of ${target} cannot be erased`);
    }
  }
}

interface ErasePlan {
  readonly source: string;
  readonly erasures: readonly PlannedErasure[];
  readonly fieldsOf: (target: string) => TargetState | undefined;
  readonly salt: string;
}

/**
 * The datagrams of one commit. Earlier versions do not know markers, but they obey the removals, which
 * the marker erases as well.
 */
export function eraseDrafts({ fieldsOf, salt, source, erasures }: ErasePlan): DatagramDraft[] {
  const drafts = erasures.flatMap((erasure): DatagramDraft[] => {
    const { target, fields, rewritten } = erasure;
    const known = fieldsOf(target);
    if (!known) return [];
    const finder = createTextFinder(erasure);
    const unset = fields.flatMap((field): DatagramDraft[] => {
      const cell = known.get(field);
      if (!cell || visibleOf(cell) === undefined) return [];
      const seen = seenBy(cell, { source, field });
      return [
        { target, field, value: undefined, source, causality: seen ? referenceOf(seen) : "" },
      ];
    });
    const values = rewritten.flatMap((field): DatagramDraft[] => {
      const cell = known.get(field);
      const last = cell && visibleOf(cell);
      if (!last) return [];
      const value = encodeValue(field, finder.without(JSON.parse(last.value!) as unknown)).json;
      return [{ target, field, value, source: last.source, causality: referenceOf(last) }];
    });
    const markers = [...fields, ...rewritten].flatMap((field) => {
      const marker = markerOf(salt, { target, field });
      const place = { field: marker, source, causality: "" };
      return [
        // What kind of field it was, for people.
        { ...place, target, value: JSON.stringify(field.split("/")[0]) },
        { ...place, target: registerOf(target), field: elementOf(marker), value: JSON.stringify(target) }, // prettier-ignore
      ];
    });
    return [...unset, ...values, ...markers];
  });
  const flag = { target: forgetRegister, field: hasErasedField, value: "true" };
  return drafts.length === 0 ? [] : [...drafts, { ...flag, source, causality: "" }];
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
      const stamp = writesOf(cell).map((one) => one.stamp).sort().at(-1) ?? ""; // prettier-ignore
      return [{ target, field, stamp, hasValue: visibleOf(cell) !== undefined }];
    }),
  );
