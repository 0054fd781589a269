import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureOf, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { say } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface DuplicatesProps {
  readonly company: CompanyShown;
  readonly onMerged: () => void;
}

/** Companies that may be the same, and a way to make one of two. */
export function Duplicates({ company, onMerged }: DuplicatesProps) {
  const other = useSignal<string | undefined>(undefined);
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
            {may("companies:write") && (
              <button class="btn small" onClick={() => (other.value = slug)}>
                Compare
              </button>
            )}
          </span>
        ))}
      </span>
      {other.value !== undefined && (
        <Merge
          company={company}
          other={other.value}
          onClose={() => (other.value = undefined)}
          onMerged={() => {
            other.value = undefined;
            onMerged();
          }}
        />
      )}
    </div>
  );
}

interface MergeProps extends DuplicatesProps {
  readonly other: string;
  readonly onClose: () => void;
}

function Merge({ company, other, onClose, onMerged }: MergeProps) {
  const loaded = useResource(other, (signal) =>
    api.get("/api/companies/{name}", { params: { name: other }, signal }),
  );
  const merge = async () => {
    try {
      await api.send("POST", "/api/companies/{name}/merge", {
        params: { name: other },
        body: { into: company.slug },
      });
      say("Merged");
      onMerged();
    } catch (error) {
      const failure = failureOf(error);
      say(failure.kind === "offline" ? "The server does not answer; nothing was merged." : failure.detail); // prettier-ignore
    }
  };
  return (
    <Dialog shape="dialog wide" title="Compare and merge" onClose={onClose}>
      <Loaded from={loaded}>
        {(found) => (
          <>
            <div class="merge">
              <b />
              <b>
                <Text value={company.name} max={80} />
              </b>
              <b>
                <Text value={found.name} max={80} />
              </b>
              {sidesOf(company, found).map(({ field, left, right }) => {
                const differs = left !== right ? "differs" : "";
                return (
                  <>
                    <span class="dim">{field}</span>
                    <span class={differs}>{shownText(left, 300)}</span>
                    <span class={differs}>{shownText(right, 300)}</span>
                  </>
                );
              })}
            </div>
            <p>
              The left one stays. It keeps its own values and gets what only the right one has; the
              folder of the right one leads to it.
            </p>
            <div class="row">
              <button class="btn go" onClick={() => void merge()}>
                Merge into the left one
              </button>
              <button class="btn" onClick={onClose}>
                Keep both
              </button>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function sidesOf(left: CompanyShown, right: CompanyShown) {
  const texts = (company: CompanyShown): Readonly<Record<string, string>> => ({
    ...company.texts,
    emails: company.emails.map(({ value }) => value).join(", "),
    phones: company.phones.map(({ value }) => value).join(", "),
    tags: company.tags.join(", "),
    categories: company.categories.join(", "),
  });
  const [a, b] = [texts(left), texts(right)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .toSorted()
    .map((field) => ({ field, left: a[field] ?? "", right: b[field] ?? "" }))
    .filter((side) => side.left !== "" || side.right !== "");
}
