/** Whether an error says that a file or its folder does not exist. */
export const isMissingFileError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Returns the result of `use`, or null if the file that it reads does not exist. */
export const nullIfMissing = <Result>(use: () => Result): Result | null => {
  try {
    return use()
  } catch (error) {
    if (isMissingFileError(error)) return null
    throw error
  }
}
