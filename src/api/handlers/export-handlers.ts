import type { exportRoutes } from "../contract/export-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { queryOf } from "./record-handlers.ts";

export const exportHandlers: HandlersOf<typeof exportRoutes> = {
  async exportCompanies({ query: { format, column, bom, ...asked } }, { exports, signal }) {
    const which = { ...chosen(asked), hasBom: bom, signal };
    return exports.companies({ ...which, format, ...(column && { columns: column }) });
  },
  async exportEmails({ query: { format, sitesMax, bom, ...asked } }, { exports, signal }) {
    const which = { ...chosen(asked), hasBom: bom, signal };
    return exports.emails({ ...which, format, ...(sitesMax !== undefined && { sitesMax }) });
  },
  async exportNewCompanies({ query }, { exports, signal }) {
    const { format, column, bom, name, isRestarted, ...asked } = query;
    const onlyNew = { name: name ?? asked.campaign ?? "companies", isRestarted };
    const which = { ...chosen(asked), hasBom: bom, signal, onlyNew };
    return exports.companies({ ...which, format, ...(column && { columns: column }) });
  },
  async exportChanges({ query }, { exports, signal }) {
    const { name, isRestarted, ...asked } = query;
    const feed = { name: name ?? asked.campaign ?? "changes", isRestarted };
    return exports.changes({ ...chosen(asked), feed, signal });
  },
  async exportNewEmails({ query }, { exports, signal }) {
    const { format, sitesMax, bom, name, isRestarted, ...asked } = query;
    const onlyNew = { name: name ?? asked.campaign ?? "emails", isRestarted };
    const which = { ...chosen(asked), hasBom: bom, signal, onlyNew };
    return exports.emails({ ...which, format, ...(sitesMax !== undefined && { sitesMax }) });
  },
};

interface Asked extends Record<string, unknown> {
  readonly campaign?: string | undefined;
  readonly withExcluded: boolean;
  readonly isExcluded?: boolean | undefined;
}

/** Excluded companies are left out unless they are requested. */
function chosen({ campaign, withExcluded, ...filters }: Asked) {
  const isAll = withExcluded || filters.isExcluded === true;
  const { words, filters: found = {} } = queryOf("company", { ...filters, limit: 1 });
  return {
    query: {
      filters: isAll ? found : { ...found, isExcluded: false },
      ...(words !== undefined && { words }),
    },
    ...(campaign !== undefined && { campaign }),
  };
}
