export { describeProgram } from "./release.ts";
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
/** Rolls out releases. Loaded on demand, because every command loads this file. */
export const loadDeploy = async () => ({
  ...(await import("./deploy/deploy-fleet.ts")),
  ...(await import("./deploy/checkout.ts")),
  ...(await import("./deploy/release-source.ts")),
});
export type { DeployOptions, DeployReport, HostOutcome } from "./deploy/deploy-fleet.ts";
export type { HostReport } from "./deploy/preflight.ts";
export { isHostName } from "./deploy/remote.ts";
