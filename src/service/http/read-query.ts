import { parse } from 'node:querystring'
import type { Texts } from './route.ts'

/** The parameters of a query, as texts. Of one that is repeated the first value counts. Never throws: what is no percent-encoding stays as it is. */
export const readQuery = (text: string): Texts => {
  const values = parse(text)
  for (const name in values) {
    const value = values[name]
    if (Array.isArray(value)) values[name] = value[0]
  }
  // None is an array any more.
  return values as Texts
}

/** Every value of a parameter that may be repeated, in the query of an address that may be without its origin. */
export const valuesOf = (url: string, name: string): readonly string[] => {
  const value = parse(url.split('?').slice(1).join('?'))[name]
  return value === undefined ? [] : [value].flat()
}
