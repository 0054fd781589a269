import type { MeetingPoint } from "../meeting-point.ts";

/** A meeting point whose connections can lose the answers of calls. */
export function lossyPoint(inner: MeetingPoint) {
  let isLosing = false;
  let onLost = () => {};
  let lost: Promise<void> = Promise.resolve();
  const point: MeetingPoint = {
    ...inner,
    async connect() {
      const channel = await inner.connect();
      if (!channel) return undefined;
      let onSend = (_message: unknown) => {};
      return {
        ...channel,
        receive(onMessage) {
          const marks = new Set<number>();
          onSend = (message) => {
            const { id, mark } = message as { id?: number; mark?: true };
            if (mark && id !== undefined) marks.add(id);
          };
          channel.receive((message) => {
            const { id } = message as { id?: number };
            const isAnswer = id !== undefined && !marks.has(id);
            if (!isLosing || !isAnswer) return onMessage(message);
            onLost();
          });
        },
        send(message) {
          onSend(message);
          channel.send(message);
        },
      };
    },
  };
  return {
    point,
    /** From now on, until this connection ends, answers are lost. */
    loseAnswers() {
      isLosing = true;
      lost = new Promise((resolve) => (onLost = resolve));
      void lost;
    },
    /** Resolves when an answer was lost: the owner has run the call. */
    lost: () => lost,
    heal: () => void (isLosing = false),
  };
}
