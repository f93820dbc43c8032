import { statSync } from 'node:fs'

/** Bytes of the write-ahead log of a file; 0 without one. */
export const logBytes = (file: string): number => statSync(`${file}.wal`, { throwIfNoEntry: false })?.size ?? 0
