/** Whether a string is valid JSON. */
export const isJson = (string: string): boolean => {
  try {
    JSON.parse(string)
    return true
  } catch {
    return false
  }
}
