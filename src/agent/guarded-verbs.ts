import { idToString } from '../wire/id-to-string.ts'

type Verbs = Record<string, (...args: unknown[]) => unknown>

/**
 * Creates verbs that never throw into the host page: an error inside becomes a warning, and the call returns undefined. An argument that is
 * null counts as missing, so that its default applies.
 *
 * @param getVerbs Called at each call of a verb.
 * @param getRefusal Returns why a call is refused; false or undefined when it is allowed.
 * @param countIds Returns how many leading arguments of a verb are ids: numbers become strings. Default: none.
 */
export const createGuardedVerbs = <T extends { [K in keyof T]: (...args: never[]) => unknown }>(
  names: readonly (keyof T & string)[],
  getVerbs: () => T,
  warn: (...message: unknown[]) => void,
  getRefusal: (verb: keyof T & string, args: readonly unknown[]) => string | false | undefined,
  countIds: (verb: keyof T & string) => number = () => 0,
): T => {
  const guarded: Verbs = {}
  for (const name of names)
    guarded[name] = (...input) => {
      try {
        const idCount = countIds(name)
        const args = input.map((arg, index) => (index < idCount ? idToString(arg) : (arg ?? undefined)))
        const reason = getRefusal(name, args)
        if (!reason) return (getVerbs() as unknown as Verbs)[name]!(...args)
        warn(`${name}() refused: ${reason}`)
      } catch (error) {
        warn(`${name}() failed:`, error)
      }
      return undefined
    }
  return guarded as unknown as T
}
