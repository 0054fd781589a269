import { useSignal } from "@preact/signals";
import { hasValues, isPublished } from "../data/published.ts";
import { websiteHref, valueText } from "../data/safe-text.ts";
import { Credits } from "../parts/credits.tsx";
import { Icon } from "../parts/icon.tsx";
import { SafeLink, Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { Provenance, sourceText, type SourcedValue } from "./provenance.tsx";

/** These come first, in this order; the others follow by name. */
const order = ["name", "phone", "email", "website", "domain", "social", "address", "street", "city", "zip", "state", "country", "hours", "rating", "reviews", "category", "service", "product", "tag", "person", "tech"]; // prettier-ignore
/** Facts that other tabs show. */
const hidden =
  /^(?:found|visit|note|call|meeting|alias|merged|mergedFields|distinct|excluded|entry|slug|enrichedAt|foundAt|place|page|person|language|latitude|longitude)(?:\/|$)/;
/** Fields with short words, which are shown on one line. */
const inOneLine = new Set(["category", "service", "product", "keyword", "tech", "tag"]);

/** Fields that a user can add if nothing is known. */
const usual = ["phone", "email", "website", "city"];

interface Group {
  readonly field: string;
  readonly values: readonly SourcedValue[];
}

function groupsOf(provenance: readonly SourcedValue[]): readonly Group[] {
  const groups = new Map<string, SourcedValue[]>(
    usual.filter((field) => hasValues(`${field}s` as "emails")).map((field) => [field, []]),
  );
  for (const value of provenance) {
    if (hidden.test(value.field) || value.value === undefined || value.value === null) continue;
    const field = value.field.split("/")[0]!;
    groups.set(field, [...(groups.get(field) ?? []), value]);
  }
  const rank = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return [...groups]
    .map(([field, values]) => ({ field, values }))
    .sort((a, b) => rank(a.field) - rank(b.field) || (a.field < b.field ? -1 : 1));
}

interface FactsProps {
  readonly company: CompanyShown;
  readonly canEdit: boolean;
  readonly onChanged: () => void;
}

export function CompanyFacts({ company, canEdit, onChanged }: FactsProps) {
  /** The field being edited; `phone+`: a new element of a list. */
  const editing = useSignal<string | undefined>(undefined);
  const done = () => {
    editing.value = undefined;
    onChanged();
  };
  const editor = (field: string, value: string) => (
    <FieldEditor
      company={company}
      field={field}
      value={value}
      onDone={done}
      onCancel={() => (editing.value = undefined)}
    />
  );
  const open = useSignal<string | undefined>(undefined);
  return (
    <>
      <dl class="facts">
        {groupsOf(company.provenance).map(({ field, values }) => (
          <>
            <dt>{field}</dt>
            <dd>
              {inOneLine.has(field) && (
                <span class="chips">
                  {values.slice(0, 40).map((value) => (
                    <span class="pill quiet" key={value.field} title={sourceText(value.source)}>
                      <Text value={elementText(value)} max={60} />
                    </span>
                  ))}
                </span>
              )}
              {(inOneLine.has(field) ? [] : values).map((value) =>
                editing.value === value.field ? (
                  <div key={value.field}>{editor(value.field, elementText(value))}</div>
                ) : (
                  <div key={value.field}>
                    <div class="fact">
                      <span
                        title={sourceText(value.source) + (value.node && `, node ${value.node}`)}
                      >
                        <FactText field={field} value={value} />
                      </span>
                      <button
                        class="btn bare small"
                        aria-label={`Where ${field} ${elementText(value).slice(0, 60)} comes from`}
                        aria-expanded={open.value === value.field}
                        onClick={() =>
                          (open.value = open.value === value.field ? undefined : value.field)
                        }
                      >
                        <Icon name="info" />
                      </button>
                      {canEdit && (
                        <button
                          class="btn bare small"
                          aria-label={`Edit ${field} ${elementText(value).slice(0, 60)}`}
                          onClick={() => (editing.value = value.field)}
                        >
                          <Icon name="pencil" />
                        </button>
                      )}
                    </div>
                    {open.value === value.field && <Provenance of={value} />}
                  </div>
                ),
              )}
              {editing.value === `${field}+` && editor(field, "")}
              {canEdit && canGrow(field, values) && editing.value !== `${field}+` && (
                <button class="btn bare small" onClick={() => (editing.value = `${field}+`)}>
                  <Icon name="plus" /> add {field}
                </button>
              )}
              {!canEdit && values.length === 0 && <span class="dim">not known</span>}
            </dd>
          </>
        ))}
        {!isPublished && (
          <>
            <dt>file</dt>
            <dd class="dim">{company.file ?? "not written yet"}</dd>
          </>
        )}
      </dl>
      <Credits of={company.licences} />
    </>
  );
}

/** Lists accept more values; a single value is edited instead. */
const canGrow = (field: string, values: readonly SourcedValue[]) =>
  values.length === 0 || ["phone", "email", "tag", "category"].includes(field);

/** `phone/+1512…` is an element of a list, whose value is in its name. */
export function elementText({ field, value }: SourcedValue): string {
  const at = field.indexOf("/");
  if (at === -1) return valueText(value);
  const name = field.slice(at + 1);
  return field.startsWith("social/") || field.startsWith("x/") ? valueText(value) : name;
}

function FactText({ field, value }: { readonly field: string; readonly value: SourcedValue }) {
  const text = elementText(value);
  if (field === "email") return <SafeLink href={`mailto:${text}`} text={text} />;
  if (field === "phone")
    return <SafeLink href={`tel:${text.replaceAll(/[^\d+]/g, "")}`} text={text} />;
  if (field === "website" || field === "domain" || field === "social") return <SafeLink href={websiteHref(text)} text={text} />; // prettier-ignore
  return <Text value={text} max={600} />;
}
