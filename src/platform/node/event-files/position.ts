import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorCode } from './get-error-code.ts'

/** End of a log's processed events, which were delivered or dropped. */
export interface Position {
  /** Number of the segment; all segments before it are processed. */
  readonly segment: number
  /** Processed bytes of this segment. */
  readonly offset: number
}

const positionPath = (folder: string): string => join(folder, 'position')

/** Undefined when the file is missing or damaged; then the log's events are sent again. */
export const readPosition = (folder: string): Position | undefined => {
  try {
    const [, segment, offset] = /^(\d{10}) (\d{16})\n$/.exec(readFileSync(positionPath(folder), 'latin1')) ?? []
    return segment === undefined ? undefined : { segment: Number(segment), offset: Number(offset) }
  } catch {
    return undefined
  }
}

/** Overwrites the same 28 bytes in one call, so that a kill cannot leave half of a position. Throws when the folder is missing. */
export const writePosition = (folder: string, { segment, offset }: Position): void => {
  const fd = openToOverwrite(positionPath(folder))
  try {
    writeSync(fd, `${String(segment).padStart(10, '0')} ${String(offset).padStart(16, '0')}\n`, 0)
  } finally {
    closeSync(fd)
  }
}

export const removePosition = (folder: string): void => rmSync(positionPath(folder), { force: true })

const openToOverwrite = (file: string): number => {
  try {
    return openSync(file, 'r+')
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
    return openSync(file, 'w', 0o600)
  }
}
