import { useSignal } from "@preact/signals";
import { may } from "../data/session.ts";
import { Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";
import { callDistinct, Merge } from "./merge.tsx";

interface DuplicatesProps {
  readonly company: CompanyShown;
  readonly onChanged: () => void;
}

/** Possible duplicates of a company: compare them, merge them, or mark them as distinct. */
export function Duplicates({ company, onChanged }: DuplicatesProps) {
  const other = useSignal<string | undefined>(undefined);
  if (company.duplicates.length === 0) return null;
  return (
    <div class="alarm">
      <b>May be the same</b>
      <span class="stack tight">
        {company.duplicates.slice(0, 5).map(({ target, slug, name, because }) => (
          <span key={target} class="row">
            <a href={`/companies?open=${encodeURIComponent(slug)}`}>
              <Text value={name || slug} max={60} />
            </a>
            <small class="dim">same {because}</small>
            {may("companies:write") && (
              <>
                <button class="btn small" onClick={() => (other.value = slug)}>
                  Compare
                </button>
                <button
                  class="btn small"
                  onClick={() => void callDistinct(company.slug, slug, onChanged)}
                >
                  Not the same
                </button>
              </>
            )}
          </span>
        ))}
      </span>
      {other.value !== undefined && (
        <Merge
          names={[company.slug, other.value]}
          onClose={() => (other.value = undefined)}
          onChanged={() => {
            other.value = undefined;
            onChanged();
          }}
        />
      )}
    </div>
  );
}
