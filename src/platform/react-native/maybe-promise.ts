/** A value, or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>

export const isPromise = <T>(value: MaybePromise<T>): value is PromiseLike<T> =>
  typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'

/** Passes a value to `use`: in this turn, unless the value is a promise. */
export const andThen = <T, Result>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> => (isPromise(value) ? value.then(use) : use(value))

/** Like `Promise.all`, but returns the values themselves if none of them is a promise. */
export const all = <T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly T[])

/** Reads a value; `recover` replaces it when the read throws or rejects. */
export const settle = <T, Fallback>(
  read: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<Fallback>,
): MaybePromise<T | Fallback> => {
  try {
    const value = read()
    return isPromise(value) ? value.then<T | Fallback, T | Fallback>(undefined, recover) : value
  } catch (error) {
    return recover(error)
  }
}
