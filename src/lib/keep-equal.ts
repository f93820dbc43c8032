import { haveSameJson } from './have-same-json.ts'

/**
 * Lets functions return their earlier result while the new one for the same first argument has the same JSON, so that callers can compare by
 * identity. A result that the caller has changed differs from a new one, and is not returned again. Changes the object of the functions, and returns it.
 */
export const keepEqual = <Functions extends object>(functions: Functions): Functions => {
  const table = functions as Record<string, (...args: unknown[]) => unknown>
  for (const name of Object.keys(table)) {
    const read = table[name]!
    const kept = new Map<unknown, unknown>()
    table[name] = (...args) => {
      const result = read(...args)
      if (!haveSameJson(result, kept.get(args[0]))) kept.set(args[0], result)
      return kept.get(args[0])
    }
  }
  return functions
}
