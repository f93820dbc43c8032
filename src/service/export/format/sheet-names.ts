import { cutString } from '../../../wire/cut-string.ts'
import { stripInvisible } from '../strip-invisible.ts'

/** Longest name of a sheet (Microsoft, "Rename a worksheet", which also lists the refused characters). */
const MAX_LENGTH = 31

/** Creates a function that makes a name for a sheet from a title. Names differ, in any case, and are allowed. */
export const createSheetNames = (): ((title: string) => string) => {
  const taken = new Set<string>()
  return (title) => {
    const allowed =
      stripInvisible(title)
        // oxlint-disable-next-line no-control-regex -- they are refused too
        .replace(/[[\]:*?/\\\0-\x1F]/g, ' ')
        .replace(/^[\s']+|[\s']+$/g, '') || 'Export'
    let name = cut(allowed, MAX_LENGTH)
    for (let number = 2; taken.has(name.toLowerCase()) || name.toLowerCase() === 'history'; number++) {
      const suffix = ` (${number})`
      name = cut(allowed, MAX_LENGTH - suffix.length) + suffix
    }
    taken.add(name.toLowerCase())
    return name
  }
}

const cut = (name: string, length: number): string => cutString(name, length).replace(/[\s']+$/, '')
