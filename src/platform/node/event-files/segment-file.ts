import { existsSync } from 'node:fs'
import { join } from 'node:path'

const FORM = /^(\d{8,})\.jsonl$/

/** The file of a log's segment. */
export const segmentFile = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(8, '0')}.jsonl`)

/** The numbers of the segments among a folder's files, in order. */
export const segmentsAmong = (files: readonly string[]): readonly number[] =>
  files
    .flatMap((file) => FORM.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)

/** Whether a segment still lies where it was: a log that somebody else has taken over lies under another name. */
export const isInPlace = (folder: string, segment: number): boolean => existsSync(segmentFile(folder, segment))
