import { readFileSync } from 'node:fs'

/** Reads one of the files for operators. */
export const readOperateFile = (name: string): string =>
  readFileSync(new URL(`../../../src/service/operate/${name}`, import.meta.url), 'utf8')
