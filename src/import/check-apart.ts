import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ImportError } from './import-error.ts'

/** Throws `ImportError` when two of the files of an import are one, by whatever names: one would be written over the other. */
export const checkApart = async (files: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const seen = new Map<string, string>()
  for (const [role, path] of Object.entries(files)) {
    if (path === undefined) continue
    const identity = await identityOf(path)
    const other = seen.get(identity)
    if (other !== undefined) throw new ImportError('invalid_option', `${path} cannot be both ${other} and ${role}.`)
    seen.set(identity, role)
  }
}

const identityOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => resolve(path),
  )
