import { existsSync } from 'node:fs'
import { join } from 'node:path'

const SEGMENT_PATTERN = /^(\d{8,})\.jsonl$/

export const segmentPath = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(8, '0')}.jsonl`)

/** The segment numbers in a list of file names, in ascending order. */
export const parseSegmentNumbers = (files: readonly string[]): readonly number[] =>
  files
    .flatMap((file) => SEGMENT_PATTERN.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)

/** False after another process has taken the log over, because its folder then has another name. */
export const segmentExists = (folder: string, segment: number): boolean => existsSync(segmentPath(folder, segment))
