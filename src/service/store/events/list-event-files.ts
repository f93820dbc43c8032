import { readdirSync } from 'node:fs'

/** The projects that have a file in a folder of events. */
export const listEventFiles = (folder: string): readonly number[] =>
  readdirSync(folder)
    .flatMap((name) => /^(\d+)\.duckdb$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
