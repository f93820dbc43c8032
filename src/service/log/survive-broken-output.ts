import { noop } from '../noop.ts'

/**
 * Lets this process go on when its standard output or standard error cannot be written: the reader of a pipe is gone, or the disk is full.
 * Without a listener, such an error of a write by Node or a library ends the process.
 */
export const surviveBrokenOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', noop)
}
