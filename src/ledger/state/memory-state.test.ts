import { describeStateStore } from "../testing/state-suite.ts";
import { createMemoryState, emptyStateContent } from "./memory-state.ts";

describeStateStore("memory", () => {
  const content = emptyStateContent();
  return { open: () => createMemoryState(content), dispose() {} };
});
