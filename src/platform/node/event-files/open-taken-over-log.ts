import { createReadStream, openSync, closeSync, readSync, statSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { countLines } from './event-lines.ts'
import { readPosition } from './position.ts'
import { parseSegmentNumbers, segmentPath } from './segment-path.ts'
import { createSegments } from './segments.ts'
import type { Segments } from './segments.ts'

/** A log that was written by another owner. */
export interface TakenOverLog {
  readonly segments: Segments
  /** Number of pending events. */
  readonly count: number
}

const NEWLINE = 10

/** Scans a log from its saved position. Rejects when the folder cannot be read. */
export const openTakenOverLog = async (folder: string): Promise<TakenOverLog> => {
  const position = readPosition(folder)
  const numbers = parseSegmentNumbers(await readdir(folder))
  const first = numbers.find((number) => number >= (position?.segment ?? 0))
  const start = position && first === position.segment ? validLineStart(segmentPath(folder, first), position.offset) : 0
  const segments = createSegments(start)
  let count = 0
  for (const number of numbers) {
    const file = segmentPath(folder, number)
    if (first === undefined || number < first) {
      // Already delivered: the owner died before it could remove the file.
      tryOrUndefined(() => unlinkSync(file))
      continue
    }
    segments.add(number, statSync(file).size)
    count += await countEvents(file, number === first ? start : 0)
  }
  segments.seal()
  return { segments, count }
}

/**
 * The offset if a line starts there, else 0, so that events are sent twice instead of lost. Only a power loss leaves an offset inside a
 * line or past the end of the file.
 */
const validLineStart = (file: string, offset: number): number => {
  const before = Buffer.alloc(1)
  const isStart = tryOrUndefined(() => {
    const fd = openSync(file, 'r')
    try {
      return readSync(fd, before, 0, 1, offset - 1) === 1 && before[0] === NEWLINE
    } finally {
      closeSync(fd)
    }
  })
  return offset && isStart ? offset : 0
}

/** Counts the events up to the first read error. The delivery gets the same error again and warns about it. */
const countEvents = async (file: string, start: number): Promise<number> => {
  let count = 0
  try {
    for await (const chunk of createReadStream(file, { start, highWaterMark: 2 ** 20 }))
      count += countLines(chunk as Buffer)
  } catch {
    // The delivery warns about it.
  }
  return count
}

const tryOrUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
