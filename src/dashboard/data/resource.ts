/** Data of the API in a component: the data, the error, and a function that requests it again. */
import { signal, useSignal, type Signal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError } from "../../api/client/api-client.ts";
import {
  faultyTopics,
  isStreaming,
  liveValue,
  markOffline,
  markOnline,
  onLive,
  type LiveTopic,
  type LiveValue,
} from "./live.ts";

export type Failure =
  | { readonly kind: "offline" }
  | { readonly kind: "problem"; readonly status: number; readonly title: string; readonly detail: string; readonly code: string }; // prettier-ignore

export interface Resource<T> {
  /** The newest response. It stays while a newer one is requested, and if that fails. */
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<T> {
  readonly data?: T;
  readonly failure?: Failure;
  readonly isLoading: boolean;
}

/** True if the session has ended: it expired, or somebody ended it. */
export const isStranger = signal(false);

export interface ResourceOptions {
  /** Request again when one of these topics changes on the server. */
  readonly topics?: readonly LiveTopic[];
  /** Send no request: the data arrives in another way. */
  readonly isIdle?: boolean;
  /** While true, changes wait: see `useHold`. */
  readonly isHeld?: Signal<boolean>;
}

/** Requests again when `key` changes. Drops responses that arrive after a later request. */
export function useResource<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { topics = [], isIdle = false, isHeld }: ResourceOptions = {},
): Resource<T> {
  const state: Signal<State<T>> = useSignal<State<T>>({ isLoading: true });
  const latest = useRef(ask);
  latest.current = ask;
  const running = useRef<AbortController | undefined>(undefined);
  const shownKey = useRef(key);

  const load = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    state.value = { ...state.peek(), isLoading: true };
    try {
      const data = await latest.current(controller.signal);
      if (controller.signal.aborted) return;
      markOnline();
      state.value = { data, isLoading: false };
    } catch (error) {
      if (controller.signal.aborted) return;
      const { data } = state.peek();
      state.value = { ...(data !== undefined && { data }), failure: noteFailure(error), isLoading: false }; // prettier-ignore
    }
  }, []);

  useEffect(() => {
    if (shownKey.current !== key) {
      shownKey.current = key;
      const { data } = state.peek();
      state.value = { ...(data !== undefined && { data }), isLoading: true };
    }
    if (!isIdle) void load();
    return () => running.current?.abort();
  }, [key, isIdle]);
  const isChanged = useRef(false);
  useEffect(
    () =>
      isIdle
        ? undefined
        : onLive(topics, () => {
            if (isHeld?.peek() === true) isChanged.current = true;
            else void load();
          }),
    [topics.join(), isIdle],
  );
  useEffect(
    () =>
      isHeld?.subscribe((holds) => {
        if (holds || !isChanged.current) return;
        isChanged.current = false;
        void load();
      }),
    [isHeld],
  );

  const { data, failure, isLoading } = state.value;
  return { data, failure, isLoading, reload: () => void load() };
}

/** The value of a topic as it is pushed. It is requested only if live events cannot be opened. */
export function useLive<T extends LiveTopic>(
  topic: T,
  ask: (signal: AbortSignal) => Promise<LiveValue<T>>,
): Resource<LiveValue<T>> {
  const value = liveValue(topic).value;
  const isIdle = isStreaming.value !== false && !faultyTopics.value.has(topic);
  const asked = useResource(topic, ask, { topics: [topic], isIdle });
  if (value === undefined || isStreaming.value === false) {
    return { ...asked, data: asked.data ?? value };
  }
  return { data: value, failure: undefined, isLoading: false, reload: asked.reload };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    markOnline();
    const { status, title, detail, code } = error.problem;
    return { kind: "problem", status, title, detail, code };
  }
  markOffline();
  return { kind: "offline" };
}

/**
 * Handles the failure of a read. A write may be refused with 401 for another reason, such as a
 * wrong password.
 */
export function noteFailure(error: unknown): Failure {
  const failure = failureOf(error);
  if (failure.kind === "problem" && failure.status === 401) isStranger.value = true;
  return failure;
}

/** The reason why a write failed. `rest` says what did not happen: "nothing was saved". */
export function failureText(error: unknown, rest: string): string {
  const failure = failureOf(error);
  return failure.kind === "offline" ? `The server does not answer; ${rest}.` : failure.detail;
}
