/**
 * Returns the result of `use`, or null if its file does not exist. The last process that closes a database removes its log
 * and the index of the log.
 */
export const nullIfMissing = <Result>(use: () => Result): Result | null => {
  try {
    return use()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
