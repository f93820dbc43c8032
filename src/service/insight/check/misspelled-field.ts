import { findNearMiss } from '../../closest-name.ts'
import { PROTOCOL_FIELDS } from './protocol-fields.ts'

/** A field that is probably meant to be another one. */
export interface MisspelledField {
  /** Its path: `query.dateRange.date_form`. */
  readonly path: string
  readonly meant: string
}

/** Unknown fields of one object that are looked at: a client chooses how many there are, and one is enough. */
const MAX_UNKNOWN = 20

/** Finds a field of an object that is none of its fields, nor one of the protocol, but nearly one of its fields. */
export const findMisspelledName = (input: object, path: string, fields: readonly string[]): MisspelledField | null => {
  const unknown = Object.keys(input).filter((name) => !fields.includes(name) && !PROTOCOL_FIELDS.has(name))
  for (const name of unknown.slice(0, MAX_UNKNOWN)) {
    const meant = findNearMiss(name, fields)
    if (meant !== null) return { path: path === '' ? name : `${path}.${name}`, meant }
  }
  return null
}

/** Finds the first problem of some parts. */
export const findFirst = <Part, Problem>(
  parts: Iterable<Part>,
  find: (part: Part) => Problem | null,
): Problem | null => {
  for (const part of parts) {
    const problem = find(part)
    if (problem !== null) return problem
  }
  return null
}
