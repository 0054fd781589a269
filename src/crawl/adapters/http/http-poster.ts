import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { parseUrl } from "../../../base/text/parse-url.ts";
import { createAddressGuard } from "../../address.ts";
import {
  privateAddressCode,
  type PostAnswer,
  type Poster,
  type PostRequest,
} from "../../poster.ts";
import { parseRetryAfter } from "../../retry-after.ts";
import { reasonOf, textOfError } from "./failure.ts";
import { createGuardedLookup, privateHost, systemResolve, type Resolve } from "./guarded-lookup.ts";
import { Agent } from "./undici-parts.ts";

export interface HttpPosterOptions {
  /** Private networks that may be used, such as 10.0.0.0/8; "any": all. */
  readonly allowPrivateNetworks: readonly string[] | "any";
  readonly clock: Clock;
  readonly resolve?: Resolve;
  /** The limit for the connection, and for the answer. Default 20,000. */
  readonly timeoutMs?: number;
}

const anyNetwork = ["0.0.0.0/0", "::/0"];
const urlCharsMax = 2_048;

/**
 * Posts over HTTP/1.1. The socket that connects resolves the name once, and only allowed addresses
 * are used, so a name cannot change between the check and the connection.
 */
export function createHttpPoster(options: HttpPosterOptions): Poster {
  const { clock, timeoutMs = 20_000 } = options;
  const allow = options.allowPrivateNetworks;
  const guard = createAddressGuard({ allow: allow === "any" ? anyNetwork : allow });
  const agent = new Agent({
    allowH2: false,
    connections: 4,
    maxHeaderSize: 16 * 1024,
    connect: {
      timeout: timeoutMs,
      lookup: createGuardedLookup(options.resolve ?? systemResolve, guard),
    },
  });

  function send(url: URL, { headers, body, signal }: PostRequest): Promise<PostAnswer> {
    return new Promise((resolve, reject) => {
      const isEnded = signal?.aborted === true;
      if (isEnded) return reject(signal.reason as Error);
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: "POST",
          headers: { "user-agent": "forager", ...headers },
          body,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        },
        {
          onRequestStart(controller) {
            signal?.addEventListener("abort", () => controller.abort(signal.reason as Error), { once: true }); // prettier-ignore
          },
          onResponseStart(controller, status, answered) {
            if (status < 200) return;
            const [after] = [answered["retry-after"]].flat();
            resolve({ status, retryAfterMs: parseRetryAfter(after, clock.nowMs()) });
            // The body is not needed, and a receiver could send one without end.
            controller.abort(new Error("the answer is known"));
          },
          onResponseData() {},
          onResponseEnd: () => reject(new Error("there was no answer")),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }

  return {
    async post(request) {
      const url = request.url.length > urlCharsMax ? undefined : parseUrl(request.url);
      if (url?.protocol !== "http:" && url?.protocol !== "https:") {
        throw new AppError("invalid", "bad_url", "this is not an http:// or https:// URL");
      }
      const host = privateHost(url, guard);
      if (host !== undefined) throw privateAddress(host);
      const authorization = basicOf(url);
      const headers = { ...request.headers, ...(authorization && { authorization }) };
      try {
        return await send(url, { ...request, headers });
      } catch (error) {
        request.signal?.throwIfAborted();
        if (reasonOf(error) === "private_address") throw privateAddress(url.hostname);
        const text = `${url.host} did not answer: ${reasonOf(error) ?? textOfError(error)}`;
        throw new AppError("unavailable", "no_answer", text, { cause: error });
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

const basicOf = ({ username, password }: URL): string | undefined =>
  username === "" && password === ""
    ? undefined
    : `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString("base64")}`;

const privateAddress = (host: string) =>
  new AppError(
    "invalid",
    privateAddressCode,
    `${host} is an address of a private network: allow it by the setting webhook.allowPrivateNetworks`,
  );
