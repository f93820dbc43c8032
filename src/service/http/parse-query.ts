import { parse } from 'node:querystring'
import type { StringParams } from './route.ts'

/** Parses a query string. The first value of a repeated parameter wins. Never throws: malformed percent-encoding stays as it is. */
export const parseQuery = (query: string): StringParams => {
  const params = parse(query)
  for (const name in params) {
    const value = params[name]
    if (Array.isArray(value)) params[name] = value[0]
  }
  // The loop above has replaced every array.
  return params as StringParams
}

/** Returns all values of a repeatable query parameter. The URL may be absolute or begin with the path. */
export const parseQueryValues = (url: string, name: string): readonly string[] => {
  const value = parse(url.split('?').slice(1).join('?'))[name]
  return value === undefined ? [] : [value].flat()
}
