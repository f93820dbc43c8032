import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UsageError } from './usage-error.ts'

/** Reads standard input to its end. */
export const readStandardInput = (): Promise<string> => text(process.stdin)

/** Reads a file of the command line. Throws `UsageError` if that is not possible. */
export const readInputFile = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`The file "${path}" cannot be read: ${(error as Error).message}`)
  }
}
