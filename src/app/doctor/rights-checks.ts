import { AppError } from "../../base/app-error.ts";
import { systemRandom } from "../../base/random.ts";
import type { Bucket } from "../../bucket/index.ts";
import { examineRights, type RightFinding, type RoleName } from "../../infra/index.ts";
import type { Finding } from "./check.ts";

export interface RightsChecksOptions {
  readonly open: () => Promise<Bucket>;
  readonly role: RoleName;
  /** The id of this node. */
  readonly node: string;
  /** The policy with the rights of the role, if the settings name one. */
  readonly policy: string | undefined;
}

/** The rights that the bucket's user has, lacks, or has without needing them for the role. */
export async function checkRights({
  open,
  role,
  node,
  policy,
}: RightsChecksOptions): Promise<readonly (Finding & { readonly check: string })[]> {
  try {
    await using bucket = await open();
    const found = await examineRights({ bucket, role, node, random: systemRandom });
    return found.flatMap((one) => {
      const finding = toFinding(one, { role, policy });
      return finding ? [{ check: `right to ${one.right}`, ...finding }] : [];
    });
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
  if (isNeeded && isThere) return { state: "ok", detail: "has" };
  if (isNeeded) {
    const how = policy
      ? `attach ${policy} to its user`
      : "`forager infra policy --help` says how to print its policy";
    const advice = `a ${role} needs it: ${how}`;
    return { state: "fail", detail: "lacks", advice };
  }
  if (!isThere) return undefined;
  return { state: "warn", detail: "too much", advice: `a ${role} does not need it` };
}
