/** Names of all alarms. Each has a page in the runbook. */
export const alarmNames = [
  "node_missing",
  "stall",
  "stuck",
  "yield_stall",
  "zombie",
  "differs",
  "alert",
  "disk",
  "heat",
  "clock",
  "bucket",
  "hub_gone",
  "no_hub",
  "drift_here",
  "drift_there",
  "other_version",
  "other_config",
  "command_failed",
  "quarantine",
  "stranded",
  "lost_data",
  "lost_checkpoint",
  "sync",
  "torn_tail",
] as const;

export type AlarmName = (typeof alarmNames)[number];

export const isAlarmName = (name: string): name is AlarmName =>
  (alarmNames as readonly string[]).includes(name);
