import type { Json } from '../../../../wire/json.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'

/** Strings, and the integers that may have more than 64 bits. */
const STRINGS_AND_LONG_INTEGERS = /"(?:[^"\\]|\\.)*"|-?\d{19,}(?![\d.eE])/g

const [MIN, MAX] = [-(2n ** 63n), 2n ** 64n - 1n]

/**
 * Serializes JSON as ClickHouse reads it. It reads nothing of an object in which an integer has more than 64 bits, so that such a number
 * gets an exponent: `1e+20`.
 */
export const encodeJson = (value: Json): string => {
  const json = toWellFormedJson(value)
  if (!/\d{19}/.test(json)) return json
  return json.replaceAll(STRINGS_AND_LONG_INTEGERS, (token) => {
    if (token.startsWith('"')) return token
    const integer = BigInt(token)
    return integer < MIN || integer > MAX ? Number(token).toExponential() : token
  })
}
