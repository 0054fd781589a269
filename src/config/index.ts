export { addressFault } from "./accept.ts";
export { secretForms } from "./read-secret.ts";
export { definitionsByKey, type SettingDefinition } from "./definitions.ts";
export {
  settingOf,
  withTomlValue,
  setSetting,
  shownSettingsOf,
  settingsFiles,
  type SetSettingOptions,
  type SettingsFiles,
} from "./edit-settings.ts";
export { settingsFingerprint } from "./fingerprint.ts";
export { followSettings, type ChangedSettings } from "./follow-settings.ts";
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
export { readSecretReference } from "./read-secret.ts";
export { environments, type Settings } from "./schema.ts";
export { describeOpenFile } from "./secret-file-mode.ts";
export { isSecret, type Secret } from "./secret.ts";
export { createSettingsMarker, type SettingsMarker, type SettingsMarks } from "./settings-marks.ts";
export { locateTomlKeys, type TomlPositions } from "./toml-positions.ts";
export { userName, type Environment } from "./user-paths.ts";
export { refusePseudoFolder } from "./pseudo-folder.ts";
