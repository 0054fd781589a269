/** The one client of the API. */
import { createApiClient } from "../../api/client/api-client.ts";

export { ApiError, apiUrl } from "../../api/client/api-client.ts";
export type { AnswerOf, RowOf } from "../../api/client/api-client.ts";

export const api = createApiClient({ fetch: (url, init) => fetch(url, init) });
