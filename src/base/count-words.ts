/** `1 task`, `12,345 tasks`. */
export const countTasks = (count: number): string => countOf(count, "task");

export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

export const formatCount = (count: number): string => count.toLocaleString("en-US");
