import { signal, useSignal } from "@preact/signals";
import { navigate, place } from "../data/router.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";

interface View {
  readonly name: string;
  readonly search: string;
}

const key = "forager.views";
const viewsMax = 50;

function readViews(): readonly View[] {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "[]") as readonly View[];
    return found.filter((view) => typeof view.name === "string" && typeof view.search === "string");
  } catch {
    return [];
  }
}

const views = signal<readonly View[]>(readViews());

function keep(next: readonly View[]): void {
  views.value = next.slice(0, viewsMax);
  try {
    localStorage.setItem(key, JSON.stringify(views.value));
  } catch {
    showToast("This browser does not keep it: the view is gone when the page is closed.");
  }
}

/**
 * Filters, order and columns saved under a name in this browser. A link shares them with others.
 */
export function SavedViews() {
  const isOpen = useSignal(false);
  const name = useSignal("");
  const search = () => {
    const query = new URLSearchParams(place.value.query);
    query.delete("open");
    return query.toString();
  };
  const save = (event: Event) => {
    event.preventDefault();
    const text = name.value.trim();
    if (text === "") return;
    keep([{ name: text, search: search() }, ...views.value.filter((view) => view.name !== text)]);
    name.value = "";
  };
  return (
    <>
      <button class="btn" onClick={() => (isOpen.value = true)}>
        <Icon name="bookmark" /> Views
      </button>
      {isOpen.value && (
        <Dialog title="Saved views" onClose={() => (isOpen.value = false)}>
          <form class="row" onSubmit={save}>
            <label class="field-label">
              Save what is shown now as
              <input
                value={name.value}
                maxLength={60}
                required
                onInput={(event) => (name.value = event.currentTarget.value)}
              />
            </label>
            <button class="btn go">Save</button>
          </form>
          {views.value.length === 0 ? (
            <p class="dim">No views yet. They are kept in this browser.</p>
          ) : (
            <table>
              <tbody>
                {views.value.map((view) => (
                  <tr key={view.name}>
                    <td>
                      <button
                        class="link"
                        onClick={() => {
                          isOpen.value = false;
                          navigate(`/companies?${view.search}`);
                        }}
                      >
                        <Text value={view.name} />
                      </button>
                    </td>
                    <td class="n">
                      <button
                        class="btn bare"
                        aria-label={`Delete ${view.name}`}
                        onClick={() => keep(views.value.filter((one) => one !== view))}
                      >
                        <Icon name="x" />
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Dialog>
      )}
    </>
  );
}
