export { describeProgram, type ProgramInfo } from "./release.ts";
export {
  createManagedService,
  systemdNotify,
  takeServiceManager,
  type ServiceManager,
} from "./systemd-notify.ts";
export {
  graceAfterNotice,
  watchInterruption,
  type InterruptionNotice,
  type InterruptionSource,
} from "./interruption/interruption.ts";
export {
  createAwsInterruption,
  createAzureInterruption,
  createFileInterruption,
  createGcpInterruption,
  findProvider,
} from "./interruption/sources.ts";
export { readStackOutputs, type StackOutputs } from "./roles/apply-outputs.ts";
export { cloudFormationTemplate } from "./roles/cloudformation.ts";
export { examineRights, type RightFinding } from "./roles/examine-rights.ts";
export { lifecycleConfiguration } from "./roles/lifecycle.ts";
export { bucketPolicy, identityPolicy } from "./roles/policies.ts";
export { roleNames, roleSummaries, type RoleName } from "./roles/roles.ts";
