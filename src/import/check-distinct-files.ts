import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ImportError } from './import-error.ts'

/**
 * Checks that the files of an import are different files. Links are followed, because one file would overwrite the other.
 *
 * @param files Paths by role, such as `the journal`; the role stands in the error message.
 * @throws {ImportError} `invalid_option` for two paths that lead to one file.
 */
export const checkDistinctFiles = async (files: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const roles = new Map<string, string>()
  for (const [role, path] of Object.entries(files)) {
    if (path === undefined) continue
    const id = await fileId(path)
    const otherRole = roles.get(id)
    if (otherRole !== undefined) {
      throw new ImportError(
        'invalid_option',
        `${path} cannot be both ${otherRole} and ${role}. Choose another path for one of them.`,
      )
    }
    roles.set(id, role)
  }
}

/** Device and inode; for a file that does not exist yet, its absolute path. */
const fileId = (path: string): Promise<string> =>
  stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => resolve(path),
  )
