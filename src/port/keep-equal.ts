/**
 * Lets functions return their earlier result while the new one for the same first argument has the same JSON, so that callers can compare by
 * identity. Changes the object of the functions, and returns it.
 */
export const keepEqual = <Functions extends object>(functions: Functions): Functions => {
  const table = functions as Record<string, (...args: unknown[]) => unknown>
  for (const name in table) {
    const read = table[name]!
    const kept = new Map<unknown, readonly [json: string | undefined, result: unknown]>()
    table[name] = (...args) => {
      const result = read(...args)
      const json = JSON.stringify(result) as string | undefined
      if (kept.get(args[0])?.[0] !== json) kept.set(args[0], [json, result])
      return kept.get(args[0])?.[1]
    }
  }
  return functions
}
