/** The exit codes. Scripts depend on these numbers, so never give one a second meaning. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2, //         the command line or a setting is wrong; nothing was started
  partial: 3, //       only part of the work was done; the output says why
  interrupted: 130, // Ctrl-C
  terminated: 143, //  SIGTERM; not for a command that runs until it is stopped and stopped in good order
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
