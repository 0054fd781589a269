export { readStackOutputs } from "./apply-outputs.ts";
export { cloudFormationTemplate } from "./cloudformation.ts";
export { examineRights, keysWithoutCondition, type RightFinding } from "./examine-rights.ts";
export { lifecycleConfiguration } from "./lifecycle.ts";
export { bucketPolicy, identityPolicy } from "./policies.ts";
export { roleNames, type RoleName } from "./roles.ts";
