export const SUCCESS = 0

/** The exit code for an error of the service, the connection or the input. */
export const FAILURE = 1

/** The exit code for a command line with an error. */
export const USAGE_ERROR = 2

/** The exit code of a command that Ctrl-C has stopped: 128 and the number of SIGINT. */
export const INTERRUPTED = 130
