import { api } from "../data/api.ts";
import { hasValues, isPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { formatCount } from "../data/format.ts";
import { Credits } from "../parts/credits.tsx";
import { Text } from "../parts/text.tsx";
import type { CompanyFilter } from "./company-query.ts";

interface FacetsProps {
  readonly filter: CompanyFilter;
  /** On a small screen the filters are hidden until the user opens them. */
  readonly isOpen: boolean;
}

const contactFlags = [
  ["hasEmail", "With email", "Without email"],
  ["hasPhone", "With phone", "Without phone"],
  ["hasDomain", "With website", "Without website"],
] as const;

const callFlags = [
  ["hasCallback", "true", "Call-back date set"],
  ["isCalled", "true", "Called"],
  ["isCalled", "false", "Not called"],
] as const;

const facetTitles = { city: "City", state: "State", country: "Country", category: "Category", tag: "Tag", tech: "Technology" } as const; // prettier-ignore

export function CompanyFacets({ filter, isOpen }: FacetsProps) {
  const facets = useResource(JSON.stringify(filter), (signal) =>
    api.get("/api/companies/facets", { query: filter, signal }),
  );
  return (
    <aside class="facets" aria-label="Filters" data-open={isOpen}>
      <section>
        <h2>Contact</h2>
        <ul>
          {contactFlags
            .filter(([key]) => isCounted(key))
            .flatMap(([key, yes, no]) => [
              <Choice key={`${key}+`} name={key} value="true" text={yes} />,
              <Choice key={`${key}-`} name={key} value="false" text={no} />,
            ])}
        </ul>
      </section>
      <section hidden={isPublished}>
        <h2>Calls</h2>
        <ul>
          <li>
            <a
              href={withQuery({ hasPhone: "true", isCalled: "false", isExcluded: "false", sort: "rating", hasCallback: undefined })} // prettier-ignore
            >
              <span>To call, best rated first</span>
            </a>
          </li>
          {callFlags.map(([key, value, text]) => (
            <Choice key={text} name={key} value={value} text={text} />
          ))}
        </ul>
      </section>
      {(facets.data?.facets ?? [])
        .filter(({ values }) => values.length > 0)
        .map(({ field, values }) => (
          <section key={field}>
            <h2>{facetTitles[field]}</h2>
            <ul>
              {values.slice(0, 8).map(({ value, count }) => (
                <Choice
                  key={value}
                  name={field}
                  value={value}
                  text={value}
                  // A published site counts values over all companies only.
                  count={facets.data!.counted > 0 ? count : undefined}
                />
              ))}
            </ul>
          </section>
        ))}
      {facets.data && !facets.data.isComplete && (
        <small class="dim">counted among the first {formatCount(facets.data.counted)}</small>
      )}
      <Credits of={facets.data?.licences} />
    </aside>
  );
}

const isCounted = (flag: (typeof contactFlags)[number][0]): boolean =>
  (flag !== "hasEmail" || hasValues("emails")) && (flag !== "hasPhone" || hasValues("phones"));

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly text: string;
  readonly count?: number | undefined;
}

/** A link that sets one filter, or removes it if it is set. */
function Choice({ name, value, text, count }: ChoiceProps) {
  const isOn = place.value.query.getAll(name).includes(value);
  return (
    <li>
      <a
        href={withQuery({ [name]: isOn ? undefined : value })}
        aria-current={isOn ? "true" : undefined}
      >
        <span>
          <Text value={text} max={60} />
        </span>
        {count !== undefined && <small class="dim">{formatCount(count)}</small>}
      </a>
    </li>
  );
}
