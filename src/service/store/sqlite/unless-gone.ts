/** Null for a file that is not there: the last process that closes a database takes the log and its index away. */
export const unlessGone = <Result>(use: () => Result): Result | null => {
  try {
    return use()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
