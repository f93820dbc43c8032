/** What was thrown, for people. Anything can be, also what has no text: the answer is then a general one. Never throws. */
export const thrownText = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return 'something that has no text was thrown'
  }
}
