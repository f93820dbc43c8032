/** Finds the first problem of some parts. */
export const findFirst = <Part, Problem>(
  parts: Iterable<Part>,
  find: (part: Part) => Problem | null,
): Problem | null => {
  for (const part of parts) {
    const problem = find(part)
    if (problem !== null) return problem
  }
  return null
}
