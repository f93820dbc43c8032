/** Wraps a function so that only its first call has an effect: a failure that lasts is reported once. */
export const once = <Args extends readonly unknown[]>(call: (...args: Args) => void): ((...args: Args) => void) => {
  let wasCalled = false
  return (...args) => {
    if (!wasCalled) call(...args)
    wasCalled = true
  }
}
