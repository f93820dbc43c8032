import { statSync } from 'node:fs'
import type { FileFacts } from './file-facts.ts'

/**
 * What files had when they were closed. To read it again takes six statements, and many projects may send a few events now and then.
 */
export interface ClosedFiles {
  /**
   * Keeps the facts of a file that was closed.
   *
   * @param checkFile Throws if the file no longer has its name (`createFileGuard`). Then nothing is kept: another file may have the name.
   */
  keep(file: string, facts: FileFacts, checkFile: () => void): void
  /** Takes the facts of a file that is to be opened; undefined if none are kept, or if the file or its log was written or replaced meanwhile. */
  take(file: string): FileFacts | undefined
}

/** Files whose facts are kept, those closed last. Facts with a hundred columns take 20 KB. */
const MAX_FILES = 1000

export const createClosedFiles = (maxFiles: number = MAX_FILES): ClosedFiles => {
  // In the order in which they were closed: a Map iterates in insertion order.
  const closed = new Map<string, { readonly facts: FileFacts; readonly state: string }>()
  return {
    keep(file, facts, checkFile) {
      closed.delete(file)
      const state = stateOf(file)
      try {
        checkFile()
      } catch {
        return
      }
      closed.set(file, { facts, state })
      const [oldest] = closed.keys()
      if (closed.size > maxFiles && oldest !== undefined) closed.delete(oldest)
    },
    take(file) {
      const kept = closed.get(file)
      closed.delete(file)
      return kept?.state === stateOf(file) ? kept.facts : undefined
    },
  }
}

/** Changes with each write to a file or its write-ahead log, and when another file takes the place of one. */
const stateOf = (file: string): string =>
  [file, `${file}.wal`]
    .map((path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
      return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
    })
    .join(';')
