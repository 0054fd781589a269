/** `1 task`, `12,345 tasks`. */
export const countTasks = (count: number): string => countOf(count, "task");

export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

export const formatCount = (count: number): string => count.toLocaleString("en-US");
