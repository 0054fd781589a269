import { AppError } from "../../base/app-error.ts";
import { systemRandom } from "../../base/random.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Clock } from "../../base/clock.ts";
import { docsPage } from "../../base/files/docs-page.ts";
import {
  examineRights,
  keysWithoutCondition,
  type RightFinding,
  type RoleName,
} from "../../infra/index.ts";
import { parseS3 } from "../bucket/open-bucket.ts";
import type { Finding } from "./check.ts";

type Row = Finding & { readonly check: string };

export interface RightsChecksOptions {
  readonly address: string;
  readonly clock: Clock;
  readonly open: () => Promise<Bucket>;
  readonly role: RoleName;
  /** The id of this node. */
  readonly node: string;
  /** The policy with the rights of the role, if the settings name one. */
  readonly policy: string | undefined;
}

/** The rights that the bucket's user has, lacks, or has without needing them for the role. */
export async function checkRights({
  address,
  clock,
  open,
  role,
  node,
  policy,
}: RightsChecksOptions): Promise<readonly Row[]> {
  try {
    await using bucket = await open();
    const options = { bucket, role, node, random: systemRandom };
    const rows = (await examineRights(options)).flatMap((one) => {
      const finding = toFinding(one, { role, policy });
      return finding ? [{ check: `right to ${one.right}`, ...finding }] : [];
    });
    if (role === "publisher" || !address.startsWith("s3://")) return rows;
    const { createUnconditionalPut } =
      await import("../../bucket/adapters/s3/unconditional-put.ts");
    using put = createUnconditionalPut(parseS3(address), { clock });
    const keys = await keysWithoutCondition({ ...options, put });
    return [...rows, { check: "writes without a condition", ...overwriteFinding(keys) }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = "check the address, the credentials and the network";
    return [{ check: "rights", state: "fail", detail: error.message, advice }];
  }
}

function toFinding(
  { isNeeded, isThere }: RightFinding,
  { role, policy }: Pick<RightsChecksOptions, "role" | "policy">,
): Finding | undefined {
  if (isNeeded && isThere) return { state: "ok", detail: "granted" };
  if (isNeeded) {
    const how = policy
      ? `attach ${policy} to its user`
      : "`forager infra policy --help` says how to print its policy";
    const advice = `a ${role} needs it: ${how}`;
    return { state: "fail", detail: "missing", advice };
  }
  if (!isThere) return undefined;
  return { state: "warn", detail: "not needed", advice: `a ${role} does not need it` };
}

function overwriteFinding(keys: readonly string[] | undefined): Finding {
  if (keys === undefined) {
    return { state: "warn", detail: "not checked: this store cannot be tested without writing" };
  }
  if (keys.length === 0) return { state: "ok", detail: "refused by the store" };
  const advice =
    "Forager sends none, but another program with this key can overwrite the queue: attach the " +
    "policy of `forager infra --help` that fits the store, see " +
    docsPage("guides/bucket-rights.md");
  return { state: "warn", detail: `allowed for ${keys.join(", ")}`, advice };
}
