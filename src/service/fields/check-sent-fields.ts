import type { Json, JsonObject } from '../../wire/json.ts'
import type { ValueShape } from './field-shape.ts'
import { createMeantFinder } from './find-meant-field.ts'
import { findUnknownFields, toFieldPath } from './find-unknown-fields.ts'
import type { UnknownField } from './find-unknown-fields.ts'
import type { MisspelledField } from './find-misspelled.ts'

/** What is wrong with the names of the fields of a definition. */
export interface FieldFindings {
  /** Fields that are probably meant to be another one. */
  readonly misspelled: readonly MisspelledField[]
  /** The paths of the other unknown fields. */
  readonly unknown: readonly string[]
}

const sortNames = (_name: string, value: Json): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** The same for the same field with the same value in any item of a list, with its names in any order. */
const toComparable = (field: UnknownField): string =>
  JSON.stringify([field.parent.replaceAll(/\[\d+\]/g, '[]'), field.name, field.value], sortNames)

/**
 * Finds the unknown fields of a definition that is sent.
 *
 * @param stored The definition before the change. A field that it has with the same value, in any item of a list, is left out: it was accepted
 *   before, and clients send back what they read.
 */
export const checkSentFields = (sent: JsonObject, shape: ValueShape, stored?: JsonObject): FieldFindings => {
  const unknown = [...findUnknownFields(sent, '', shape)]
  if (unknown.length === 0) return { misspelled: [], unknown: [] }
  const kept = new Set(stored === undefined ? [] : [...findUnknownFields(stored, '', shape)].map(toComparable))
  const findMeant = createMeantFinder()
  const findings: { misspelled: MisspelledField[]; unknown: string[] } = { misspelled: [], unknown: [] }
  for (const field of unknown) {
    if (kept.size > 0 && kept.has(toComparable(field))) continue
    const meant = findMeant(field)
    if (meant === null) findings.unknown.push(toFieldPath(field))
    else findings.misspelled.push({ path: toFieldPath(field), meant })
  }
  return findings
}
