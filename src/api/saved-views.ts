import * as z from "zod";
import type { Ledger } from "../ledger/index.ts";
import { viewScreen, type ViewScreen } from "./contract/view-routes.ts";

/**
 * Views that people share: filters, order and columns of a list under a name. They are facts of the
 * ledger, so every node knows them. All are fields of one target, named `screen/name`.
 */
const target = "view/all";

export interface SavedView {
  readonly screen: ViewScreen;
  readonly name: string;
  /** The query of the page's address. */
  readonly search: string;
  readonly by: string;
  readonly at: string;
}

type ViewLedger = Pick<Ledger, "write"> & {
  read(target: string): Promise<Awaited<ReturnType<Ledger["read"]>>>;
};
type ViewKey = Pick<SavedView, "screen" | "name">;

const storedSchema = z.object({ search: z.string(), by: z.string(), at: z.string() });
/** More would make the list useless, and each is kept for ever. */
export const viewsMax = 200;

/** Sorted by name. Views that a later version wrote in another form are left out. */
export async function readViews(ledger: Pick<ViewLedger, "read">): Promise<readonly SavedView[]> {
  const { fields } = await ledger.read(target);
  return fields
    .flatMap(({ field, value }) => {
      const [screen, ...name] = field.split("/");
      const stored = storedSchema.safeParse(value);
      const known = viewScreen.safeParse(screen);
      if (!known.success || !stored.success) return [];
      return [{ screen: known.data, name: name.join("/"), ...stored.data }];
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

export async function writeView(
  ledger: Pick<ViewLedger, "write">,
  { screen, name, ...stored }: SavedView,
): Promise<void> {
  const change = { target, field: `${screen}/${name}`, value: stored };
  await ledger.write({ source: stored.by, changes: [change] });
}

export async function eraseView(
  ledger: Pick<ViewLedger, "write">,
  { screen, name }: ViewKey,
  source: string,
): Promise<void> {
  await ledger.write({ source, changes: [{ target, field: `${screen}/${name}`, unset: true }] });
}
