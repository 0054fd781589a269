import { listRunbook, readRunbookPage } from "../../notify/index.ts";
import type { statusRoutes } from "../contract/status-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const statusHandlers: HandlersOf<typeof statusRoutes> = {
  status: ({ query }, { status }) => status({ isCluster: query.cluster }),
  listRunbook: async () => ({ rows: listRunbook() }),
  showRunbook: async ({ params }) => readRunbookPage(params.name),
  async history({ query: { by } }, { history }) {
    const points = await history(by);
    const names = [...new Set(points.flatMap(({ values }) => Object.keys(values)))].sort();
    return {
      stepMs: by === "minute" ? 60_000 : 3_600_000,
      times: points.map(({ atMs }) => atMs),
      series: Object.fromEntries(
        names.map((name) => [name, points.map(({ values }) => values[name] ?? null)]),
      ),
    };
  },
};
