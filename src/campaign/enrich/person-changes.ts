import { createHash } from "node:crypto";
import type { PersonFact } from "../../extract/index.ts";
import type { Change, Ledger, TargetView } from "../../ledger/index.ts";
import { idOf, personTarget } from "../../records/index.ts";

const peopleMax = 20;

/**
 * Stores the people that a page names as records of their own, linked with the company in both
 * directions. The id is derived from company and name, so that a second visit finds the same
 * record.
 */
export async function personChanges(
  ledger: Pick<Ledger, "read" | "suppressed">,
  { company, people, source }: PeopleOfPage,
): Promise<readonly Change[]> {
  const changes = new Map<string, Change>();
  for (const person of people.slice(0, peopleMax)) {
    const target = targetOf(company.target, person.name);
    const view = await ledger.read(target);
    if (view.isForgotten || view.mergedInto !== undefined) continue;
    const { email } = person;
    if (email !== undefined && (await ledger.suppressed([`email:${email}`])).length > 0) continue;
    const { role } = person;
    const place = role === undefined ? true : { role };
    const add = (of: TargetView, field: string, value: unknown) => {
      const known = of.fields.find((one) => one.field === field);
      if (value === undefined || (known && known.source !== source)) return;
      changes.set(`${of.target} ${field}`, { target: of.target, field, value });
    };
    add(view, "name", person.name);
    add(view, "role", role);
    if (person.email !== undefined) {
      add(view, `email/${person.email}`, { url: person.url, method: "text" });
    }
    if (person.phone !== undefined) {
      add(view, `phone/${person.phone}`, { url: person.url, method: "text" });
    }
    add(view, `company/${idOf(company.target)}`, place);
    add(company, `person/${idOf(target)}`, place);
  }
  return [...changes.values()];
}

export interface PeopleOfPage {
  readonly company: TargetView;
  readonly people: readonly PersonFact[];
  readonly source: string;
}

function targetOf(company: string, name: string): string {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  const digest = createHash("sha256").update(`${company}\n${folded}`).digest("hex");
  return personTarget(`h-${digest.slice(0, 24)}`);
}
