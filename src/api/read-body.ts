import { bodyBytesMax } from "./client/api-client.ts";
import { ProblemError } from "./problems.ts";

/** Reads JSON. Other content types are refused because any web page could send them with a form. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    const detail = "send the body as content-type: application/json";
    throw new ProblemError(415, "not_json", detail);
  }
  const bytes = await readBytes(request);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProblemError(400, "bad_json", "body: this is not UTF-8");
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ProblemError(400, "bad_json", `body: ${(error as Error).message.slice(0, 200)}`);
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bodyBytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new ProblemError(413, "too_large", `body: more than ${bodyBytesMax} bytes`);
