export { addressFault } from "./accept.ts";
export { secretForms } from "./secrets/read-secret.ts";
export { definitionsByKey, type SettingDefinition } from "./schema/definitions.ts";
export { isSecretForm } from "./schema/setting-schemas.ts";
export {
  settingOf,
  withTomlValue,
  setSetting,
  shownSettingsOf,
  settingsFiles,
  type SettingsFiles,
} from "./file/edit-settings.ts";
export { settingsFingerprint } from "./fingerprint.ts";
export { followSettings } from "./file/follow-settings.ts";
export { campaignVariable, type FlagValue } from "./layer.ts";
export {
  describeSettings,
  loadSettings,
  processSources,
  type LoadedSettings,
} from "./load-settings.ts";
export { readLibpqVariables, type LibpqVariables } from "./libpq-variables.ts";
export { createPaths, type Paths } from "./paths.ts";
export { readSecretReference } from "./secrets/read-secret.ts";
export { environments, type Settings } from "./schema/schema.ts";
export { describeOpenFile } from "./secrets/secret-file-mode.ts";
export { type Secret } from "./secrets/secret.ts";
export {
  createSettingsMarker,
  type SettingsMarker,
  type SettingsMarks,
} from "./file/settings-marks.ts";
export { locateTomlKeys } from "./file/toml-positions.ts";
export { userName } from "./user-paths.ts";
export { refusePseudoFolder } from "./pseudo-folder.ts";
