import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { Bulk } from "../parts/bulk.tsx";
import type { CompanyFilter } from "./company-query.ts";

/** The option, the verb before the count, and the label of the text field. */
const actions = {
  tag: ["Add a tag", "Tag", "Tag"],
  untag: ["Remove a tag", "Untag", "Tag"],
  exclude: ["Exclude", "Exclude", "Why"],
  include: ["Include again", "Include", undefined],
} as const;
type Action = keyof typeof actions;

/** One change of all companies that match the current filter. */
export function BulkCompanies({
  filter,
  onClose,
}: {
  readonly filter: CompanyFilter;
  readonly onClose: () => void;
}) {
  // prettier-ignore
  const action = useSignal<Action>("tag");
  const text = useSignal("");
  const [, verb, textLabel] = actions[action.value];
  const run = (id: string, count: number) => {
    const params = { id };
    const value = text.value.trim();
    if (action.value === "tag" || action.value === "untag") {
      const tags = action.value === "tag" ? { add: [value] } : { remove: [value] };
      return api.send("POST", "/api/selections/companies/{id}/tag", { params, body: { count, ...tags } }); // prettier-ignore
    }
    const reason = action.value === "exclude" ? value : null;
    return api.send("POST", "/api/selections/companies/{id}/exclude", { params, body: { count, reason } }); // prettier-ignore
  };
  return (
    <Bulk
      title="Change all of these"
      verb={verb}
      canRun={textLabel === undefined || text.value.trim() !== ""}
      countText={(count) => plural(count, "company", "companies")}
      select={(signal) => api.send("POST", "/api/selections/companies", { body: filter, signal })}
      read={(id) => api.get("/api/selections/companies/{id}", { params: { id } })}
      run={run}
      stop={(id) => api.send("POST", "/api/selections/companies/{id}/stop", { params: { id } })}
      undo={(id) =>
        api.send("POST", "/api/selections/companies/{id}/undo", { params: { id }, body: {} })
      }
      onClose={onClose}
    >
      <div class="row">
        <label class="field-label">
          What to do
          <select
            value={action.value}
            onChange={(event) => (action.value = event.currentTarget.value as Action)}
          >
            {Object.entries(actions).map(([key, [title]]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {textLabel !== undefined && (
          <label class="field-label">
            {textLabel}
            <input
              maxLength={200}
              value={text.value}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          </label>
        )}
      </div>
    </Bulk>
  );
}
