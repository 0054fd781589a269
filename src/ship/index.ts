export { describeProgram, type ProgramInfo } from "./release.ts";
export {
  createManagedService,
  systemdNotify,
  takeServiceManager,
  type ServiceManager,
} from "./service-manager.ts";
