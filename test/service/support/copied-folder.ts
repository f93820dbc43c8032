import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createTempFolder } from './temp-folder.ts'

/** A copy of a data folder that a test may change, and what its creation returned. */
export type CopiedFolder<Facts> = Facts & { readonly folder: string }

/**
 * Creates a data folder once for all tests of a file, because services that store many events take seconds. Call it at the top level.
 *
 * @param create Fills the folder. All its services must have ended at the end.
 * @returns Copies the folder for one test; the first call creates it.
 */
export const copyFolder = <Facts extends object>(
  create: (folder: string) => Promise<Facts>,
): (() => Promise<CopiedFolder<Facts>>) => {
  const original = mkdtempSync(join(tmpdir(), 'waymark-'))
  afterAll(() => rmSync(original, { recursive: true, force: true }))
  let created: Promise<Facts> | undefined
  return async () => {
    created ??= create(original)
    const facts = await created
    const folder = createTempFolder()
    cpSync(original, folder, { recursive: true })
    return { ...facts, folder }
  }
}
