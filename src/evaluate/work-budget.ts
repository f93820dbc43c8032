import { MAX_FLAG_VALUE_CHARACTERS } from '../wire/bounds.ts'
import { hasOwn } from './own-property.ts'

/**
 * Maximum work of one request. One unit is about one character compared, 1 to 4 ns. Visitors control the values and the ids, and others
 * wait for the thread that evaluates, so their lengths times all conditions are bounded.
 */
export const MAX_WORK = 8_000_000

/** Work of one comparison with a short value. */
export const COMPARISON_WORK = 32

/** A comparison includes the work of values up to this length; that of longer ones is counted. */
export const SHORT_LENGTH = 128

/** Work per character of an id that is hashed. */
const HASH_WORK = 4

/** Work per character of a list or an object that is printed as JSON, once. */
const PRINT_WORK = 8

type Fold = (input: string) => string

/** What was computed for earlier evaluations of a request. */
interface Computed {
  /** Results of flags that others depend on, so that each is evaluated once. */
  dependencyResults?: Map<object, unknown>
  /** Lengths of lists and objects. */
  lengths?: Map<object, number>
  /** Lists and objects as JSON. */
  printed?: Map<object, string | undefined>
  /** Long strings in another case, by the function that changed it. */
  folded?: Map<Fold, Map<string, string>>
}

interface WorkBudget {
  /** Whether flags are evaluated now. Outside of evaluations nothing is counted or kept. */
  isActive: boolean
  /** Whether several evaluations share the budget: those of a request. */
  isShared: boolean
  /** Units; negative once an evaluation needed more. */
  remaining: number
  /** Most evaluations need none of it. */
  computed: Computed | undefined
}

/** The budget of the flags that are evaluated now. Evaluations do not overlap. One object: creating it takes as long as a short evaluation. */
const budget: WorkBudget = { isActive: false, isShared: false, remaining: 0, computed: undefined }

const getComputed = (): Computed => (budget.computed ??= {})

/** An evaluation needs more work than is left. It never leaves `evaluateFlag`. */
class WorkExceededError extends Error {}

/** Thrown again and again, because creating a stack trace takes longer than most evaluations. */
const exceeded = new WorkExceededError('The work of this request is used up.')

export const isWorkExceeded = (error: unknown): boolean => error === exceeded

/**
 * Runs the evaluations of one request, which must all have the same context. Together they may take `MAX_WORK`; flags that need more are
 * inconclusive. Each flag that others depend on is evaluated once, and a long value is changed to lower case once.
 */
export const shareWork = <Result>(evaluateAll: () => Result): Result => {
  const outer = { ...budget }
  Object.assign(budget, { isActive: true, isShared: true, remaining: MAX_WORK, computed: undefined })
  try {
    return evaluateAll()
  } finally {
    Object.assign(budget, outer)
  }
}

/** Begins an evaluation: one that belongs to no request gets a budget of its own. */
export const startEvaluation = (): void => {
  if (budget.isShared) return
  budget.remaining = MAX_WORK
  budget.isActive = true
}

/** Ends what `startEvaluation` began. */
export const endEvaluation = (): void => {
  if (budget.isShared) return
  budget.isActive = false
  // Nothing of the evaluation stays in memory.
  if (budget.computed !== undefined) budget.computed = undefined
}

/** Takes work from the budget and returns whether there was enough. */
export const takeWork = (units: number): boolean => !budget.isActive || (budget.remaining -= units) >= 0

/** Takes work from the budget. Throws what `isWorkExceeded` recognises when there is not enough. */
export const spendWork = (units: number): void => {
  if (!takeWork(units)) throw exceeded
}

/** Takes the work of hashing an id of this length. */
export const spendHashWork = (length: number): void => spendWork(length * HASH_WORK)

/** The results of dependencies that an evaluation begins with: by compiled flag, always with the same type of result. */
export const startDependencyResults = <Flag extends object, Result>(): Map<Flag, Result> => {
  if (!budget.isActive) return new Map()
  return (getComputed().dependencyResults ??= new Map()) as Map<Flag, Result>
}

/**
 * A lower bound for the length of a value as JSON. It stops above `MAX_FLAG_VALUE_CHARACTERS`, so that a large value, or one that contains itself,
 * costs no more.
 */
const measure = (value: object): number => {
  const pending: unknown[] = [value]
  let length = 0
  while (pending.length > 0 && length <= MAX_FLAG_VALUE_CHARACTERS) {
    const next = pending.pop()
    length += typeof next === 'string' ? next.length + 2 : 2
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      if (next.length > MAX_FLAG_VALUE_CHARACTERS) return next.length
      for (const item of next as readonly unknown[]) pending.push(item)
    } else
      for (const key in next) {
        if (!hasOwn(next, key)) continue
        length += key.length
        if (length > MAX_FLAG_VALUE_CHARACTERS) return length
        pending.push((next as Readonly<Record<string, unknown>>)[key])
      }
  }
  return length
}

/** The length of a list or an object. In a request it is measured once, which takes the work of printing it. */
const lengthOf = (value: object): number => {
  if (!budget.isActive) return measure(value)
  const lengths = (getComputed().lengths ??= new Map())
  const known = lengths.get(value)
  if (known !== undefined) return known
  const length = measure(value)
  lengths.set(value, length)
  spendWork(Math.min(length, MAX_FLAG_VALUE_CHARACTERS) * PRINT_WORK)
  return length
}

/**
 * Takes the work of comparing a property and returns whether it is short enough to be compared.
 *
 * @param comparisons How often an operator reads the property.
 */
export const admitValue = (property: object | string, comparisons: number): boolean => {
  const length = typeof property === 'string' ? property.length : lengthOf(property)
  if (length > MAX_FLAG_VALUE_CHARACTERS) return false
  if (length > SHORT_LENGTH) spendWork(length * comparisons)
  return true
}

/** Changes the case of a string, of a long one once in a request. `fold` must be the same function in each call. */
export const foldOnce = (input: string, fold: Fold): string => {
  if (!budget.isActive || input.length <= SHORT_LENGTH) return fold(input)
  const folded = (getComputed().folded ??= new Map())
  let results = folded.get(fold)
  if (results === undefined) folded.set(fold, (results = new Map()))
  let result = results.get(input)
  if (result === undefined) results.set(input, (result = fold(input)))
  return result
}

/** Prints a list or an object, once in a request. */
export const printOnce = (value: object, print: (value: object) => string | undefined): string | undefined => {
  if (!budget.isActive) return print(value)
  const printed = (getComputed().printed ??= new Map())
  if (!printed.has(value)) printed.set(value, print(value))
  return printed.get(value)
}
