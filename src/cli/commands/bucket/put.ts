import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { usageError } from "../../../base/usage-error.ts";
import { bodyBytesMax } from "../../../bucket/index.ts";
import type { BareContext, Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { addressArgument, keyAsUsage, openPatientBucket } from "./open-bucket.ts";

export const bucketPut: Command = {
  needs: "settings",
  arguments: [
    addressArgument,
    { name: "key", summary: "which object" },
    { name: "file", summary: "its content; - or absent for standard input", isOptional: true },
  ],
  options: [
    { flag: "--if-absent", summary: "only if the object does not exist" },
    { flag: "--if-match", value: "etag", summary: "only if the object still has this ETag" },
  ],
  examples: [
    { line: "forager bucket put s3://fleet notes/a.md a.md", summary: "create or replace" },
    { line: "forager bucket put s3://fleet seen/x --if-absent", summary: "claim a name" },
  ],
  details: [
    "Exits 1 if the condition was not met. If a conditional write gets no clear response, it",
    "is not retried: check the object.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const key = args[1] ?? "";
    const etag = textFlag(flags, "ifMatch");
    const isAbsent = flags["ifAbsent"] === true;
    if (isAbsent && etag !== undefined)
      throw usageError("give --if-absent or --if-match, not both");
    const body = await readBody(context);
    await using bucket = await openPatientBucket(context);
    const answer = await keyAsUsage(async () => {
      if (isAbsent) return bucket.putIfAbsent(key, body);
      if (etag !== undefined) return bucket.putIfMatch(key, body, etag);
      return { status: "written" as const, ...(await bucket.put(key, body)) };
    });
    const text = {
      created: "was created",
      written: "was written",
      exists: "exists",
      stale: "has changed",
    };
    out.result({ key, bytes: body.byteLength, ...answer }, `${key} ${text[answer.status]}`);
    if (!("etag" in answer)) return "failed";
  },
};

async function readBody({ args, cwd, stdin }: BareContext): Promise<Uint8Array> {
  const name = args[2] ?? "-";
  if (name !== "-") {
    try {
      return await readFile(resolve(cwd, name));
    } catch (cause) {
      throw usageError(`${name} cannot be read: ${(cause as Error).message}`, { cause });
    }
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.byteLength;
    if (bytes > bodyBytesMax) {
      const message = `an object holds at most ${bodyBytesMax} bytes: split the input`;
      throw new AppError("invalid", "bucket_body_too_big", message);
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
