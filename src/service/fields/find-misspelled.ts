import type { Json } from '../../wire/json.ts'
import type { ValueShape } from './field-shape.ts'
import { createMeantFinder } from './find-meant-field.ts'
import { findUnknownFields, toFieldPath } from './find-unknown-fields.ts'

/** A field that is probably meant to be another one. */
export interface MisspelledField {
  /** Its path: `query.dateRange.date_form`. */
  readonly path: string
  /** What to write instead. */
  readonly meant: string
}

/** Finds the first unknown field that is probably meant to be another one. */
export const findMisspelled = (value: Json | undefined, path: string, shape: ValueShape): MisspelledField | null => {
  if (value === undefined) return null
  const findMeant = createMeantFinder()
  for (const field of findUnknownFields(value, path, shape)) {
    const meant = findMeant(field)
    if (meant !== null) return { path: toFieldPath(field), meant }
  }
  return null
}
