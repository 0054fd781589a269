import { inScope, type RoleScope } from "./roles.ts";

export interface LifecycleRule {
  readonly id: string;
  readonly prefix: string;
  readonly days: number;
}

/** Only objects that may be deleted at any time. No other key may have a rule: a queue or a journal that loses an object is damaged. */
const expiring = [
  { id: "probes", key: "probe/", days: 1 },
  { id: "log-lines", key: "fleet/logs/", days: 30 },
  { id: "exports", key: "forager-exports-", days: 90 },
] as const;

export const lifecycleRules = (scope: RoleScope): readonly LifecycleRule[] =>
  expiring.map(({ id, key, days }) => ({ id, prefix: inScope(key, scope), days }));

/** The input format of `aws s3api put-bucket-lifecycle-configuration`. */
export const lifecycleConfiguration = (scope: RoleScope) => ({
  Rules: lifecycleRules(scope).map(({ id, prefix, days }) => ({
    ID: id,
    Status: "Enabled" as const,
    Filter: { Prefix: prefix },
    Expiration: { Days: days },
  })),
});
