import { AppError } from "../base/app-error.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { impossibleEtag, type Bucket } from "../bucket/index.ts";
import { roles, type RoleName } from "./roles.ts";

export interface RightFinding {
  /** Such as `write shards/*`. */
  readonly right: string;
  readonly isNeeded: boolean;
  readonly isThere: boolean;
}

export interface ExamineRightsOptions {
  /** The store must honour conditional writes; otherwise the test requests would really write. */
  readonly bucket: Bucket;
  readonly role: RoleName;
  /** The id of this node. */
  readonly node: string;
  readonly random: Random;
}

/**
 * Tests every right in `roles`, whether the role needs it or not. No data changes: writes have a
 * condition that is never true, and deletes name objects that do not exist.
 */
export async function examineRights(
  options: ExamineRightsOptions,
): Promise<readonly RightFinding[]> {
  const { bucket, role, node, random } = options;
  const scratch = `rights-${createId(random)}`;
  const asked = new Map<string, boolean>();
  const keyOf = (key: string) => toTestKey(key, node, scratch);
  const ask = async (right: string, request: () => Promise<unknown>) => {
    if (!asked.has(right)) asked.set(right, await isAllowed(request));
  };
  await ask("list", () => bucket.list("", { limit: 1 }));
  await ask("read what is not there", () => bucket.get(scratch));
  for (const { key, rights } of role === "publisher" ? roles.publisher : allRows) {
    if (rights.some((right) => right !== "delete")) {
      await ask(`write ${key}`, () =>
        bucket.putIfMatch(keyOf(key), new Uint8Array(), impossibleEtag),
      );
    }
    // A key without `*` names one object, which may exist: a test delete would really delete it.
    if (key.includes("*")) await ask(`delete ${key}`, () => bucket.delete(keyOf(key)));
  }
  const needed = neededBy(role);
  return [...asked].map(([right, isThere]) => ({ right, isThere, isNeeded: needed.has(right) }));
}

const allRows = (["node", "hub", "dashboard"] as const).flatMap((role) => roles[role]);

function neededBy(role: RoleName): ReadonlySet<string> {
  const rows = roles[role].flatMap(({ key, rights }) =>
    rights.map((right) => `${right === "delete" ? "delete" : "write"} ${key}`),
  );
  // A right on all journals includes the right on the journal of one node.
  const within = rows
    .filter((row) => row.endsWith("ledger/wal/*"))
    .map((row) => row.replace("ledger/wal/*", "ledger/wal/NODE/*"));
  return new Set(["list", "read what is not there", ...rows, ...within]);
}

async function isAllowed(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "bucket_forbidden") return false;
    throw error;
  }
}

/** Whether a store lets this user write a key without a condition, found out without writing. */
export interface OverwriteTest {
  /** `written`: the store did not refuse the test request, and the object is there now. */
  ask(key: string): Promise<"allowed" | "refused" | "written">;
}

/**
 * The keys that a role must write only with a condition, and that the store lets it write without
 * one. Undefined: the store cannot be asked without writing.
 */
export async function keysWithoutCondition(
  options: ExamineRightsOptions & { readonly put: OverwriteTest },
): Promise<readonly string[] | undefined> {
  const { bucket, role, put, random } = options;
  const scratch = `rights-${createId(random)}`;
  // Only the first request may write if the store is not as expected, so it names an object that
  // nobody needs.
  const trial = `probe/${scratch}`;
  const answer = await put.ask(trial);
  if (answer === "written") await bucket.delete(trial);
  if (answer !== "allowed") return undefined;
  const found: string[] = [];
  for (const { key, rights } of roles[role]) {
    const isConditional = rights.includes("create") || rights.includes("replace");
    if (!isConditional || !key.includes("*")) continue;
    if ((await put.ask(toTestKey(key, options.node, scratch))) !== "refused") found.push(key);
  }
  return found;
}

const toTestKey = (key: string, node: string, scratch: string) =>
  key.replace("NODE", node).replace("*", scratch);
