export { addressFault } from "./accept.ts";
export { secretForms } from "./secrets/read-secret.ts";
export { definitionsByKey, type SettingDefinition } from "./schema/definitions.ts";
export {
  settingOf,
  withTomlValue,
  setSetting,
  shownSettingsOf,
  settingsFiles,
  type SetSettingOptions,
  type SettingsFiles,
} from "./file/edit-settings.ts";
export { settingsFingerprint } from "./fingerprint.ts";
export { followSettings, type ChangedSettings } from "./file/follow-settings.ts";
export { campaignVariable, type FlagValue } from "./layer.ts";
export {
  describeSettings,
  loadSettings,
  processSources,
  type LoadedSettings,
  type LoadOptions,
  type SettingRow,
  type SettingValue,
} from "./load-settings.ts";
export { readLibpqVariables, type LibpqVariables } from "./libpq-variables.ts";
export { createPaths, type Paths } from "./paths.ts";
export { readSecretReference } from "./secrets/read-secret.ts";
export { environments, type Settings } from "./schema/schema.ts";
export { describeOpenFile } from "./secrets/secret-file-mode.ts";
export { isSecret, type Secret } from "./secrets/secret.ts";
export {
  createSettingsMarker,
  type SettingsMarker,
  type SettingsMarks,
} from "./file/settings-marks.ts";
export { locateTomlKeys, type TomlPositions } from "./file/toml-positions.ts";
export { userName, type Environment } from "./user-paths.ts";
export { refusePseudoFolder } from "./pseudo-folder.ts";
