/** An error of the command line. The message is for people. */
export class UsageError extends Error {}
