import { useSignal } from "@preact/signals";
import { websiteHref, valueText } from "../data/safe-text.ts";
import { Icon } from "../parts/icon.tsx";
import { SafeLink, Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";
import { Provenance, sourceText, type SourcedValue } from "./provenance.tsx";

/** Shown first, in this order; the rest follows by name. */
const order = ["name", "phone", "email", "website", "domain", "social", "address", "street", "city", "zip", "state", "country", "hours", "rating", "reviews", "category", "service", "product", "tag", "person", "tech"]; // prettier-ignore
/** Facts about the work, which other tabs show. */
const hidden =
  /^(?:found|visit|note|call|meeting|alias|merged|entry|slug|enrichedAt|foundAt|place)(?:\/|$)/;

/** Fields that a person can add when nothing is known. */
const usual = ["phone", "email", "website", "city"];

interface Group {
  readonly field: string;
  readonly values: readonly SourcedValue[];
}

function groupsOf(provenance: readonly SourcedValue[]): readonly Group[] {
  const groups = new Map<string, SourcedValue[]>(usual.map((field) => [field, []]));
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

export function CompanyFacts({ company }: { readonly company: CompanyShown }) {
  const open = useSignal<string | undefined>(undefined);
  return (
    <dl class="facts">
      {groupsOf(company.provenance).map(({ field, values }) => (
        <>
          <dt>{field}</dt>
          <dd>
            {values.map((value) => (
              <div key={value.field}>
                <div class="fact">
                  <span title={`${sourceText(value.source)}, node ${value.node}`}>
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
                </div>
                {open.value === value.field && <Provenance of={value} />}
              </div>
            ))}
            {values.length === 0 && <span class="dim">not known</span>}
          </dd>
        </>
      ))}
      <dt>file</dt>
      <dd class="dim">{company.file ?? "not written yet"}</dd>
    </dl>
  );
}

/** `phone/+1512…` is an element of a list: its name is its value. */
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
