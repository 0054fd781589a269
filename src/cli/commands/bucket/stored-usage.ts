import { listLimitMax } from "../../../bucket/index.ts";
import type { SettingsContext } from "../../frame/command.ts";
import { keyAsUsage, openBucketToRead } from "./open-bucket.ts";

/** Objects and bytes of a bucket, by folder. Lists every object. */
export async function showStored(context: SettingsContext): Promise<void> {
  const { args, out, signal } = context;
  const prefix = args[1] ?? "";
  await using bucket = await openBucketToRead(context);
  const folders = new Map<string, { objects: number; bytes: number }>();
  let startAfter = "";
  for (;;) {
    signal.throwIfAborted();
    const page = await keyAsUsage(() => bucket.list(prefix, { startAfter, limit: listLimitMax }));
    for (const { key, bytes } of page) {
      const slash = key.indexOf("/", prefix.length);
      const folder = slash < 0 ? "(here)" : key.slice(0, slash + 1);
      const sum = folders.get(folder) ?? { objects: 0, bytes: 0 };
      folders.set(folder, { objects: sum.objects + 1, bytes: sum.bytes + bytes });
    }
    if (page.length < listLimitMax) break;
    startAfter = page.at(-1)!.key;
  }
  const rows = [...folders].map(([folder, sum]) => ({ folder, ...sum }));
  out.table(rows, [
    { title: "folder", value: ({ folder }) => folder },
    { title: "objects", value: ({ objects }) => objects },
    { title: "bytes", value: ({ bytes }) => bytes },
  ]);
}
