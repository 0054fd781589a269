import type { PreflightFinding } from "./preflight.ts";

export const findingText = ({ detail, advice }: PreflightFinding): string =>
  `${detail} - ${advice}`;
