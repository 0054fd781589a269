import type { viewRoutes } from "../contract/view-routes.ts";
import type { HandlersOf, RouteContext } from "../handler.ts";
import { notFound, ProblemError } from "../problems.ts";
import { eraseView, readViews, viewsMax, writeView } from "../saved-views.ts";

const sourceOf = ({ caller, user }: RouteContext) => `hand:${caller.user || user}`;

export const viewHandlers: HandlersOf<typeof viewRoutes> = {
  listViews: async (_, { node }) => ({ rows: [...(await readViews(node.ledger))] }),
  async putView({ params: { screen, view: name }, body: { search } }, context) {
    const { node, clock } = context;
    const known = await readViews(node.ledger);
    const isKnown = known.some((one) => one.screen === screen && one.name === name);
    if (!isKnown && known.length >= viewsMax)
      throw new ProblemError(409, "too_many_views", `there are ${viewsMax} views: remove one first`); // prettier-ignore
    const at = new Date(clock.nowMs()).toISOString();
    const view = { screen, name, search, by: sourceOf(context), at };
    await writeView(node.ledger, view);
    return view;
  },
  async removeView({ params: { screen, view: name } }, context) {
    const { ledger } = context.node;
    const known = await readViews(ledger);
    if (!known.some((one) => one.screen === screen && one.name === name))
      throw notFound(`view '${name}' of ${screen}`);
    await eraseView(ledger, { screen, name }, sourceOf(context));
    return { name };
  },
};
