import type { TSchema } from 'typebox'
import type { JsonObject } from '../../../wire/json.ts'
import { findMisspelled } from '../../fields/find-misspelled.ts'
import type { MisspelledField } from '../../fields/find-misspelled.ts'
import { createQueryShape } from './query-shape.ts'

/**
 * Finds a field of a query, or of any object inside it, whose name is nearly that of a field of the schema. It would be ignored, and the
 * answer would be to another question.
 *
 * @param path Path of the query in the input.
 * @param named All schemas that others refer to, by `$id`.
 */
export const findMisspelledField = (
  query: JsonObject,
  path: string,
  schema: TSchema,
  named: Readonly<Record<string, TSchema>>,
): MisspelledField | null => findMisspelled(query, path, createQueryShape(schema, named))
