/** What `work` answers, or `otherwise` where the platform lacks the thing or refuses it by throwing. */
export const attempt = <T, O>(work: () => T, otherwise: O): T | O => {
  try {
    return work()
  } catch {
    return otherwise
  }
}
