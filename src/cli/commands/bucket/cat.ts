import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { addressArgument, keyAsUsage, openBucketToRead } from "./open-bucket.ts";

export const bucketCat: Command = {
  needs: "settings",
  arguments: [addressArgument, { name: "key", summary: "which object" }],
  options: [
    {
      flag: "--output",
      value: "file",
      summary: "write it to this file, byte by byte",
      complete: "file",
    },
  ],
  examples: [
    { line: "forager bucket cat s3://fleet lease/hub.json", summary: "print a text" },
    { line: "forager bucket cat s3://fleet data.gz --output data.gz", summary: "fetch anything" },
  ],

  async run(context) {
    const { args, flags, out, cwd } = context;
    const key = args[1] ?? "";
    const output = textFlag(flags, "output");
    await using bucket = await openBucketToRead(context);
    const got = await keyAsUsage(() => bucket.get(key));
    if (got.status !== "found") {
      const message = `there is no object ${key}: \`forager bucket ls\` lists the objects`;
      throw new AppError("invalid", "object_missing", message);
    }
    const { body, etag, modifiedAtMs } = got;
    const facts = { key, etag, modifiedAtMs, bytes: body.byteLength };
    if (output !== undefined) {
      const file = resolve(cwd, output);
      await writeFileAtomic(file, body);
      return out.result({ ...facts, file }, `${body.byteLength} bytes to ${file}`);
    }
    if (!isUtf8(body)) throw usageError(`${key} is not text: fetch it with --output FILE`);
    const text = Buffer.from(body).toString();
    out.result({ ...facts, text }, text);
  },
};
