import { readFileSync } from 'node:fs'
import type { Json } from '../../../wire/json.ts'
import { noop } from '../../noop.ts'
import { StartError } from '../../data-folder.ts'
import { stripByteOrderMark } from '../../ingest/parse-request.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { setFlags } from './change-flags.ts'
import { FlagError } from './parse-flag-file.ts'

const STANDARD_INPUT = 0

/**
 * Creates or replaces the flags of a JSON file; see `setFlags`.
 *
 * @param path Path of the file; `-` reads the standard input.
 * @param onWarning Called for each field of the file that has no effect, with a sentence.
 * @throws StartError that says what is wrong with the file or with which flag.
 */
export const loadFlagFile = async (
  metadata: Metadata,
  projectId: number,
  path: string,
  now: number,
  onWarning: (warning: string) => void = noop,
): Promise<string[]> => {
  try {
    const json: Json = JSON.parse(stripByteOrderMark(readFileSync(path === '-' ? STANDARD_INPUT : path, 'utf8')))
    return await setFlags(metadata, projectId, json, now, onWarning)
  } catch (error) {
    if (error instanceof FlagError) throw new StartError(error.message, { cause: error })
    if (error instanceof SyntaxError) throw new StartError(`${path} is not JSON: ${error.message}.`, { cause: error })
    if (error instanceof Error && 'syscall' in error) {
      throw new StartError(`The flag file cannot be read: ${error.message}. Check the path and its permissions.`, {
        cause: error,
      })
    }
    throw error
  }
}
