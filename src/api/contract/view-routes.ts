import * as z from "zod";
import { moment, route } from "./route.ts";

/** The lists that have views. */
const viewScreens = ["companies", "tasks"] as const;
export type ViewScreen = (typeof viewScreens)[number];

export const viewScreen = z.enum(viewScreens);
const viewName = z.string().min(1).max(60);
const key = z.strictObject({ screen: viewScreen, view: viewName });

const view = z.strictObject({
  screen: viewScreen,
  name: z.string(),
  search: z.string().describe("the query of the page's address"),
  by: z.string(),
  at: moment,
});

/** Named filters of lists, shared by everybody. */
export const viewRoutes = {
  listViews: route({
    method: "GET",
    path: "/api/views",
    scope: "status:read",
    summary: "saved views of companies and tasks, which everybody shares",
    answer: z.strictObject({ rows: z.array(view) }),
  }),
  putView: route({
    method: "PUT",
    path: "/api/views/{screen}/{view}",
    scope: "companies:write",
    summary: "save the filters, order and columns of a list under a name, for everybody",
    params: key,
    body: z.strictObject({ search: z.string().max(2_000) }),
    answer: view,
  }),
  removeView: route({
    method: "DELETE",
    path: "/api/views/{screen}/{view}",
    scope: "companies:write",
    summary: "remove a saved view",
    params: key,
    answer: z.strictObject({ name: z.string() }),
  }),
};
