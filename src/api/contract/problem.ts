import * as z from "zod";

/** RFC 9457: the body of every error response. */
export const problem = z.strictObject({
  type: z.string().describe("about:blank, or a page that explains it"),
  title: z.string().describe("the same for all problems of this status"),
  status: z.int().min(400).max(599),
  detail: z.string().describe("what happened, to what, and what to do next"),
  code: z.string().describe("stable, for programs"),
  requestId: z.string().describe("the same as in the log"),
  errors: z
    .array(z.strictObject({ where: z.string(), message: z.string() }))
    .optional()
    .describe("one for each field that is wrong"),
});

export type ProblemDocument = z.output<typeof problem>;
