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
