/** Describes a thrown value, including one that cannot be converted to a string. Never throws. */
export const describeError = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return 'an unreadable value was thrown'
  }
}
