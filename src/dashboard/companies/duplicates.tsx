import { Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

/** Companies that may be the same, and a way to make one of two. */
export function Duplicates({ company }: { readonly company: CompanyShown }) {
  if (company.duplicates.length === 0) return null;
  return (
    <div class="alarm">
      <b>May be the same</b>
      <span>
        {company.duplicates.slice(0, 5).map(({ target, slug, name, because }) => (
          <span key={target} class="row">
            <a href={`/companies?open=${encodeURIComponent(slug)}`}>
              <Text value={name || slug} max={60} />
            </a>
            <small class="dim">same {because}</small>
          </span>
        ))}
      </span>
    </div>
  );
}
