/** Sends one HTTP POST. It follows no redirects and reads no more than the head of the answer. */
export interface Poster extends AsyncDisposable {
  /** Throws `unavailable` if there is no answer, and `invalid` if the address must not be used. */
  post(request: PostRequest): Promise<PostAnswer>;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

/** The failure of a post whose host has a private address that the settings do not allow. */
export const privateAddressCode = "private_address";
