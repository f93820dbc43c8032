/**
 * Returns the result of `use`, or null if the file that it reads does not exist. The log of a database and the index of that
 * log may be missing: the last process that closes the database removes both.
 */
export const nullIfMissing = <Result>(use: () => Result): Result | null => {
  try {
    return use()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
