import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './error-code.ts'

/** Up to where a log's events are done with: delivered, or dropped. */
export interface Position {
  /** The segment's number; all before it are done with. */
  readonly segment: number
  /** Bytes of it. */
  readonly offset: number
}

const fileIn = (folder: string): string => join(folder, 'position')

/** Undefined when there is none yet, or none that can be understood: then events are sent once more. */
export const readPosition = (folder: string): Position | undefined => {
  try {
    const [, segment, offset] = /^(\d{10}) (\d{16})\n$/.exec(readFileSync(fileIn(folder), 'latin1')) ?? []
    return segment === undefined ? undefined : { segment: Number(segment), offset: Number(offset) }
  } catch {
    return undefined
  }
}

/** Always 28 bytes over those before, in one call: no kill leaves half of it. Throws when the folder is gone. */
export const writePosition = (folder: string, { segment, offset }: Position): void => {
  const fd = openToOverwrite(fileIn(folder))
  try {
    writeSync(fd, `${String(segment).padStart(10, '0')} ${String(offset).padStart(16, '0')}\n`, 0)
  } finally {
    closeSync(fd)
  }
}

/** For a log with nothing left. */
export const removePosition = (folder: string): void => rmSync(fileIn(folder), { force: true })

const openToOverwrite = (file: string): number => {
  try {
    return openSync(file, 'r+')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return openSync(file, 'w', 0o600)
  }
}
