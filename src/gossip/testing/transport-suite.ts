import { afterAll, describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { answerBytesMax, type PullTransport, type Transport } from "../transport.ts";

export interface TransportFixture {
  readonly transport: Transport;
  readonly pull: PullTransport;
}

export interface TransportSuiteOptions {
  readonly name: string;
  /** Opens one more endpoint on the same network. The suite closes it. */
  readonly open: () => Promise<TransportFixture>;
  /** Waits until the condition holds, or for a long time. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

/** The contract of Transport and PullTransport, clause by clause. */
export function transportSuite({ name, open, until }: TransportSuiteOptions): void {
  describe(`Transport: ${name}`, () => {
    const opened: TransportFixture[] = [];
    const openOne = async () => {
      const fixture = await open();
      opened.push(fixture);
      return fixture;
    };
    afterAll(async () => {
      for (const { transport, pull } of opened) {
        await pull[Symbol.asyncDispose]();
        await transport[Symbol.asyncDispose]();
        await transport[Symbol.asyncDispose]();
      }
    });

    test("a packet arrives as it is, and tells where it came from", async () => {
      const [a, b] = [await openOne(), await openOne()];
      const came: string[] = [];
      b.transport.listen((from, packet) => came.push(`${from} ${Buffer.from(packet).toString()}`));
      a.transport.send(b.transport.address(), Buffer.from("hello"));
      await until(() => came.length > 0);
      expect(came).toEqual([`${a.transport.address()} hello`]);
    });

    test("sending never throws: not to nobody, not to nowhere, not after its end", async () => {
      const a = await openOne();
      a.transport.send("127.0.0.1:1", Buffer.from("x"));
      a.transport.send("nonsense", Buffer.from("x"));
      await a.transport[Symbol.asyncDispose]();
      a.transport.send("127.0.0.1:1", Buffer.from("x"));
      expect(a.transport.failed()).toBeGreaterThan(0);
    });

    test("a question is answered, also with much", async () => {
      const [a, b] = [await openOne(), await openOne()];
      const answer = Buffer.alloc(answerBytesMax, "long");
      b.pull.answer(async (from, question) => {
        expect(from).toMatch(/:\d+$/);
        return Buffer.from(question).toString() === "?" ? answer : undefined;
      });
      const asked = a.pull.ask(b.pull.address(), Buffer.from("?"));
      let isEnded = false;
      asked.catch(() => {}).finally(() => (isEnded = true));
      await until(() => isEnded);
      expect(Buffer.from(await asked).equals(answer)).toBe(true);
    });

    test("a request whose connection ends, or that reaches nobody, fails with `unavailable`", async () => {
      const [a, b] = [await openOne(), await openOne()];
      b.pull.answer(async () => undefined);
      const hungUp = a.pull.ask(b.pull.address(), Buffer.from("?"));
      const nobody = a.pull.ask("127.0.0.1:1", Buffer.from("?"));
      const ends = Promise.allSettled([hungUp, nobody]);
      let isEnded = false;
      void ends.then(() => (isEnded = true));
      await until(() => isEnded);
      for (const end of await ends) {
        expect(end.status).toBe("rejected");
        const { reason } = end as PromiseRejectedResult;
        expect(reason).toBeInstanceOf(AppError);
        expect((reason as AppError).kind).toBe("unavailable");
      }
    });
  });
}
