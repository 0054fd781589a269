import { useSignal } from "@preact/signals";
import { hasValues } from "../data/published.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { columnsKnown, type Column } from "./company-columns.tsx";

/** A published site may leave out addresses or numbers. */
const columnsHere = () =>
  columnsKnown.filter(
    ({ key }) =>
      (key !== "email" || hasValues("emails")) && (key !== "phone" || hasValues("phones")),
  );
const defaults = () =>
  columnsHere()
    .filter(({ isDefault }) => isDefault)
    .map(({ key }) => key);

export function shownColumns(chosen: string | null): readonly Column[] {
  const keys = chosen ? chosen.split(",") : defaults();
  const found = columnsHere().filter(({ key }) => keys.includes(key) || key === "company");
  return found;
}

/**
 * Chooses the visible columns. The choice is stored in the address, so a saved view includes it.
 */
export function ColumnChooser() {
  const isOpen = useSignal(false);
  const shown = shownColumns(place.value.query.get("columns")).map(({ key }) => key);
  const toggle = (key: string) => {
    const next = columnsHere().map((column) => column.key).filter((one) => (one === key ? !shown.includes(one) : shown.includes(one))); // prettier-ignore
    const isDefault = next.join() === defaults().join();
    navigate(withQuery({ columns: isDefault ? undefined : next.join() }), { isReplaced: true });
  };
  return (
    <>
      <button class="btn bare" aria-label="Choose columns" onClick={() => (isOpen.value = true)}>
        <Icon name="columns-3" />
      </button>
      {isOpen.value && (
        <Dialog title="Columns" onClose={() => (isOpen.value = false)}>
          {columnsHere().map(({ key, title }) => (
            <label class="row" key={key}>
              <input
                type="checkbox"
                checked={shown.includes(key)}
                disabled={key === "company"}
                onChange={() => toggle(key)}
              />
              {title}
            </label>
          ))}
        </Dialog>
      )}
    </>
  );
}
