import type { JsonObject } from '../../../../wire/json.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'

/** Strings, and the integers that may have more than 64 bits. */
const STRINGS_AND_LONG_INTEGERS = /"(?:[^"\\]|\\.)*"|-?\d{19,}(?![\d.eE])/g

const [MIN, MAX] = [-(2n ** 63n), 2n ** 64n - 1n]

/**
 * Serializes properties as ClickHouse reads them. It reads nothing of an object in which an integer has more than 64 bits, so that
 * such a number gets an exponent: `1e+20`.
 */
export const encodeProperties = (properties: JsonObject): string => {
  const json = toWellFormedJson(properties)
  if (!/\d{19}/.test(json)) return json
  return json.replaceAll(STRINGS_AND_LONG_INTEGERS, (token) => {
    if (token.startsWith('"')) return token
    const integer = BigInt(token)
    return integer < MIN || integer > MAX ? Number(token).toExponential() : token
  })
}
