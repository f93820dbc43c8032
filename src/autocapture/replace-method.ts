import { noop } from '../lib/noop.ts'

/**
 * Replaces a method of an object that belongs to the page. Does nothing where the object or the method is missing, or the page has frozen it.
 *
 * @param call Runs in place of the method. `proceed` calls the original with the arguments, which `call` can change in place.
 * @returns A function that restores the method, unless other code has replaced it since.
 */
export const replaceMethod = <T extends object>(
  owner: T | undefined,
  name: keyof T,
  call: (proceed: () => unknown, args: unknown[], self: never) => unknown,
): (() => void) => {
  const original = owner?.[name] as ((...args: unknown[]) => unknown) | undefined
  if (!original) return noop
  const replacement = function (this: never, ...args: unknown[]): unknown {
    return call(() => original.apply(this, args), args, this)
  }
  try {
    owner![name] = replacement as T[keyof T]
  } catch {
    // The page has frozen its own functions.
  }
  return () => {
    if (owner![name] === replacement) owner![name] = original as T[keyof T]
  }
}
