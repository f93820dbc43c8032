import { createReadStream, openSync, closeSync, readSync, statSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { countLines } from './lines.ts'
import { readPosition } from './position.ts'
import { segmentFile, segmentsAmong } from './segment-file.ts'
import { createSegments } from './segments.ts'
import type { Segments } from './segments.ts'

/** What waits in a log of the past. */
export interface Taken {
  readonly segments: Segments
  /** Events that wait. */
  readonly count: number
}

const NEWLINE = 10

/** Looks through a log that was taken over, from where its events are not done with. Rejects when its folder cannot be read. */
export const openTaken = async (folder: string): Promise<Taken> => {
  const position = readPosition(folder)
  const numbers = segmentsAmong(await readdir(folder))
  const first = numbers.find((number) => number >= (position?.segment ?? 0))
  const from = position && first === position.segment ? lineStart(segmentFile(folder, first), position.offset) : 0
  const segments = createSegments(from)
  let count = 0
  for (const number of numbers) {
    const file = segmentFile(folder, number)
    if (first === undefined || number < first) {
      // Its owner ended before it could take the file away.
      attempt(() => unlinkSync(file))
      continue
    }
    segments.add(number, statSync(file).size)
    count += await eventsIn(file, number === first ? from : 0)
  }
  segments.seal()
  return { segments, count }
}

/** A place in the midst of a line, or beyond the end, which only a power loss can leave behind, counts as none: then events are sent twice. */
const lineStart = (file: string, offset: number): number => {
  const before = Buffer.alloc(1)
  const isStart = attempt(() => {
    const fd = openSync(file, 'r')
    try {
      return readSync(fd, before, 0, 1, offset - 1) === 1 && before[0] === NEWLINE
    } finally {
      closeSync(fd)
    }
  })
  return offset && isStart ? offset : 0
}

/** Those that cannot be read are met again when they are delivered, and told of then. */
const eventsIn = async (file: string, start: number): Promise<number> => {
  let count = 0
  try {
    for await (const chunk of createReadStream(file, { start, highWaterMark: 2 ** 20 }))
      count += countLines(chunk as Buffer)
  } catch {
    // As above.
  }
  return count
}

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
