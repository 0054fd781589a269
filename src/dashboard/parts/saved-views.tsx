import { signal, useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, panelIn, place } from "../data/router.ts";
import { may } from "../data/session.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Problem } from "./problem.tsx";
import { Loaded } from "./state-view.tsx";
import { Ago, Text } from "./text.tsx";
import { showToast } from "./toast.tsx";

type Screen = RowOf<"/api/views">["screen"];

/** A view that only this browser keeps: of people who may not save one for everybody. */
interface OwnView {
  readonly screen: Screen;
  readonly name: string;
  readonly search: string;
}

const key = "forager.views";
const ownMax = 50;

function readOwn(): readonly OwnView[] {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "[]") as readonly Partial<OwnView>[];
    return found.flatMap(({ screen = "companies", name, search }) =>
      typeof name === "string" && typeof search === "string" ? [{ screen, name, search }] : [],
    );
  } catch {
    return [];
  }
}

const own = signal<readonly OwnView[]>(readOwn());

function keepOwn(next: readonly OwnView[]): void {
  own.value = next.slice(0, ownMax);
  try {
    localStorage.setItem(key, JSON.stringify(own.value));
  } catch {
    showToast("This browser does not keep it: the view is gone when the page is closed.");
  }
}

interface SavedViewsProps {
  readonly screen: Screen;
  /** The page of the list. */
  readonly path: string;
}

/** Filters, order and columns under a name, for everybody who uses this dashboard. */
export function SavedViews(props: SavedViewsProps) {
  const panel = panelIn("views");
  return (
    <>
      <button class="btn" onClick={() => panel.open()}>
        <Icon name="bookmark" /> Views
      </button>
      {panel.value !== undefined && <ViewList {...props} onClose={panel.close} />}
    </>
  );
}

interface ViewListProps extends SavedViewsProps {
  readonly onClose: () => void;
}

function ViewList({ screen, path, onClose }: ViewListProps) {
  const views = useResource("views", (signal) => api.get("/api/views", { signal }));
  const name = useSignal("");
  const problem = useSignal("");
  const mayShare = may("companies:write");
  const search = () => {
    const query = new URLSearchParams(place.value.query);
    for (const one of ["open", "views", "after"]) query.delete(one);
    return query.toString();
  };
  const act = async (write: () => Promise<unknown>) => {
    problem.value = "";
    try {
      await write();
      views.reload();
    } catch (error) {
      problem.value = failureText(error, "nothing was changed");
    }
  };
  const save = async (event: Event) => {
    event.preventDefault();
    const view = name.value.trim();
    if (view === "") return;
    const found = search();
    if (mayShare)
      await act(() => api.send("PUT", "/api/views/{screen}/{view}", { params: { screen, view }, body: { search: found } })); // prettier-ignore
    else keepOwn([{ screen, name: view, search: found }, ...own.value.filter((one) => one.name !== view || one.screen !== screen)]); // prettier-ignore
    if (problem.value === "") name.value = "";
  };
  const owned = own.value.filter((one) => one.screen === screen);
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <form class="row" onSubmit={(event) => void save(event)}>
        <label class="field-label">
          Save what is shown now as
          <input
            value={name.value}
            maxLength={60}
            required
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <button class="btn go">{mayShare ? "Save for everybody" : "Save in this browser"}</button>
      </form>
      <Problem title="Not saved" text={problem.value} />
      <Loaded from={views}>
        {({ rows }) => {
          const shared = rows.filter((one) => one.screen === screen);
          if (shared.length + owned.length === 0)
            return (
              <p class="dim">
                No views yet. Set filters, columns or an order in the list, then save them here.
              </p>
            );
          return (
            <table>
              <tbody>
                {shared.map((view) => (
                  <ViewLine
                    key={view.name}
                    name={view.name}
                    note={
                      <>
                        by <Text value={view.by.replace(/^hand:/, "")} max={40} />,{" "}
                        <Ago atMs={Date.parse(view.at)} />
                      </>
                    }
                    onOpen={() => navigate(`${path}?${view.search}`)}
                    onDelete={
                      mayShare
                        ? () => void act(() => api.send("DELETE", "/api/views/{screen}/{view}", { params: { screen, view: view.name } })) // prettier-ignore
                        : undefined
                    }
                  />
                ))}
                {owned.map((view) => (
                  <ViewLine
                    key={`own ${view.name}`}
                    name={view.name}
                    note="in this browser only"
                    onOpen={() => navigate(`${path}?${view.search}`)}
                    onDelete={() => keepOwn(own.value.filter((one) => one !== view))}
                  />
                ))}
              </tbody>
            </table>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

interface ViewLineProps {
  readonly name: string;
  readonly note: preact.ComponentChildren;
  readonly onOpen: () => void;
  readonly onDelete: (() => void) | undefined;
}

const ViewLine = ({ name, note, onOpen, onDelete }: ViewLineProps) => (
  <tr>
    <td>
      <button class="link" onClick={onOpen}>
        <Text value={name} />
      </button>
      <small class="dim"> {note}</small>
    </td>
    <td class="n">
      {onDelete && (
        <button class="btn bare" aria-label={`Delete ${name}`} onClick={onDelete}>
          <Icon name="x" />
        </button>
      )}
    </td>
  </tr>
);
