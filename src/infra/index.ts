export { readStackOutputs, type StackOutputs } from "./apply-outputs.ts";
export { cloudFormationTemplate } from "./cloudformation.ts";
export { examineRights, keysWithoutCondition, type RightFinding } from "./examine-rights.ts";
export { lifecycleConfiguration } from "./lifecycle.ts";
export { bucketPolicy, identityPolicy } from "./policies.ts";
export { roleNames, roleSummaries, type RoleName } from "./roles.ts";
