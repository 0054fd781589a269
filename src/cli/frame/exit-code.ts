/** What the shell sees. Scripts depend on these numbers: never give one a second meaning. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2, //         the command line or a setting is wrong: nothing was started
  partial: 3, //       not all of the work could be done here and now; the output says why
  interrupted: 130, // Ctrl-C
  terminated: 143, //  SIGTERM, unless a command that runs until it is stopped did so in good order
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
