import type { Readable } from "node:stream";
import { bodyBytesMax } from "../../../api/client/api-client.ts";
import { findRunningServer } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";

export const api: Command = {
  needs: "settings",
  arguments: [
    {
      name: "method",
      summary: "the HTTP method",
      choices: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    },
    { name: "path", summary: "a path of the API, such as /api/status" },
  ],
  options: [
    {
      flag: "--query",
      value: "key=value",
      summary: "add a parameter to the query",
      isRepeated: true,
    },
    { flag: "--body", value: "json", summary: "the JSON to send; - reads it from standard input" },
  ],
  examples: [
    { line: "forager api GET /api/status", summary: "the data of the dashboard's first page" },
    {
      line: "forager api GET /api/companies --query words=floor --query limit=5",
      summary: "the first companies that match",
    },
    {
      line: `forager api POST /api/queue/tasks --body '{"tasks":[{"kind":"page"}]}'`,
      summary: "add a task",
    },
    { line: "forager api GET /api/openapi.json", summary: "all paths with their parameters" },
  ],
  details: [
    "Sends the request to the server of this data folder (`forager serve`), with the folder's token, and\n" +
      "prints the JSON of the response. Exits 1 if the response is an error or no server is running.",
  ],

  async run({ args, flags, out, paths, stdin, signal }) {
    const [method = "", typed = ""] = args;
    const { path, query } = readPath(typed, flags["query"]);
    const text = textFlag(flags, "body");
    if (text !== undefined && method === "GET")
      throw usageError("GET takes no --body: use --query");
    const body = text === undefined ? undefined : await readBody(text, stdin);
    const server = await findRunningServer({ paths, signal });
    const answer = await server.call((client) => client.call(method, path, { query, body }));
    out.result(answer, JSON.stringify(answer, null, 2));
  },
};

/** A path may include a query, for example one copied from the dashboard. */
function readPath(typed: string, pairs: unknown) {
  const [path = "", ...rest] = typed.split("?");
  if (!/^\/api\/[^\s#\\]+$/.test(path)) {
    throw usageError(`'${typed}' is not a path of the API: write one such as /api/status`);
  }
  const [open] = /\{\w*\}/.exec(path) ?? [];
  if (open !== undefined) throw usageError(`${path}: write a value instead of ${open}`);
  const query = new Map<string, string[]>();
  const add = (key: string, value: string) => query.set(key, [...(query.get(key) ?? []), value]);
  for (const [key, value] of new URLSearchParams(rest.join("?"))) add(key, value);
  for (const pair of (pairs ?? []) as readonly string[]) {
    const at = pair.indexOf("=");
    if (at < 1) throw usageError(`--query takes key=value, not '${pair}'`);
    add(pair.slice(0, at), pair.slice(at + 1));
  }
  return { path, query: Object.fromEntries(query) };
}

async function readBody(text: string, stdin: Readable): Promise<unknown> {
  const json = text === "-" ? await readAll(stdin) : text;
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    const why = (cause as SyntaxError).message;
    throw usageError(`the body is not JSON (${why}): quote it, such as '{"limit":1}'`, { cause });
  }
}

async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.byteLength;
    if (bytes > bodyBytesMax) throw usageError(`a body has at most ${bodyBytesMax} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}
