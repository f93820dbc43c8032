import { existsSync, readFileSync } from 'node:fs'

/** Folder of the vectors recorded from other implementations, which are not part of this repository. */
const folder = process.env['WAYMARK_VECTORS'] ?? new URL('../../../shared/vectors', import.meta.url).pathname

/** False without that folder; then the tests that need it are skipped. */
export const hasVectors: boolean = existsSync(folder)

if (!hasVectors)
  console.warn(`Skipped: no vectors of other implementations in ${folder} (set WAYMARK_VECTORS to use another folder).`)

/** Reads and parses a file of vectors; the caller knows its type. */
export const readVectors = (name: string): unknown => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
