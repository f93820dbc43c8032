import { existsSync, readFileSync } from 'node:fs'

/** Vectors recorded from other implementations; not part of this repository. */
const folder = process.env['WAYMARK_VECTORS'] ?? new URL('../../../shared/vectors', import.meta.url).pathname

/** False where there is no such folder: the tests that need it are then skipped. */
export const hasVectors: boolean = existsSync(folder)

if (!hasVectors)
  console.warn(`Skipped: no vectors of other implementations in ${folder} (WAYMARK_VECTORS names another folder).`)

/** The parsed file; the caller says what is in it. */
export const readVectors = (name: string): unknown => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
