import type { ConflictView, Datagram, FieldView } from "../../../ledger/index.ts";
import type { TableColumn } from "../../terminal/table.ts";

const shown = (value: unknown) => (value === undefined ? "(unset)" : JSON.stringify(value));

export const fieldColumns: readonly TableColumn<FieldView>[] = [
  { title: "field", value: ({ field }) => field, isKey: true },
  { title: "value", value: ({ value }) => shown(value) },
  { title: "source", value: ({ source }) => source },
  { title: "stamp", value: ({ stamp }) => stamp },
];

export const conflictColumns = (
  nameOf: (target: string) => string,
): readonly TableColumn<ConflictView>[] => [
  { title: "name", value: ({ target }) => nameOf(target) },
  { title: "target", value: ({ target }) => target, isKey: true },
  { title: "field", value: ({ field }) => field, isKey: true },
  { title: "lost", value: ({ value }) => shown(value) },
  { title: "shown", value: (row) => shown(row.shown) },
  { title: "datagram", value: ({ dot }) => dot, isNeverCut: true },
];

export const datagramColumns: readonly TableColumn<Datagram>[] = [
  { title: "stamp", value: ({ stamp }) => stamp },
  { title: "target", value: ({ target }) => target, isKey: true },
  { title: "field", value: ({ field }) => field, isKey: true },
  { title: "value", value: ({ value }) => value ?? "(unset)" },
  { title: "source", value: ({ source }) => source },
  { title: "datagram", value: dotText, isNeverCut: true },
];

function dotText({ node, session, number }: Datagram): string {
  return `${node}/${session}/${number}`;
}
