import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { StoreReply, StoreRequest } from "./store-program.ts";

export interface OtherProcess extends AsyncDisposable {
  ask(request: StoreRequest): Promise<unknown>;
  /** kill -9, and waits until the process is gone; it closes nothing. */
  kill(): Promise<void>;
}

/** Starts `store-program.ts`, which opens the store as any other process would. */
export async function startOtherProcess(): Promise<OtherProcess> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL("store-program.ts", import.meta.url)),
    [],
    { execArgv: ["--import", "tsx"] },
  );
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const reply = async () => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const exit = once(child, "exit", { signal }).then(() => {
      throw new Error("the other process ended by itself");
    });
    const message = once(child, "message", { signal }) as Promise<[StoreReply]>;
    try {
      const [answer] = await Promise.race([message, exit]);
      if ("error" in answer) throw new Error(answer.error);
      return answer.result;
    } finally {
      exit.catch(() => {});
      message.catch(() => {});
      aborter.abort();
    }
  };
  await reply();
  return {
    async ask(request) {
      const answer = reply();
      child.send(request);
      return answer;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
