/** The client of the API, or of the files of a published site. */
import { createApiClient, type ApiFetch } from "../../api/client/api-client.ts";
import { answerFromSite, isPublished } from "./published.ts";

export { ApiError, apiUrl } from "../../api/client/api-client.ts";
export type { AnswerOf, RowOf } from "../../api/client/api-client.ts";

const ask: ApiFetch = isPublished ? answerFromSite : (url, init) => fetch(url, init);

export const api = createApiClient({ fetch: ask });

/** Reads a static file, such as a part of the base map. */
export async function readJson<T>(path: string): Promise<T> {
  const response = await ask(path, { method: "GET", headers: {}, redirect: "error" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return JSON.parse(await response.text()) as T;
}
