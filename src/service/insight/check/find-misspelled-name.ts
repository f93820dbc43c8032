import type { JsonObject } from '../../../wire/json.ts'
import { findMisspelled } from '../../fields/find-misspelled.ts'
import type { MisspelledField } from '../../fields/find-misspelled.ts'
import { createObjectShape } from './query-shape.ts'

/** Finds a field of an object that is none of its fields, nor one of the protocol, but nearly one of its fields. */
export const findMisspelledName = (
  input: JsonObject,
  path: string,
  fields: readonly string[],
): MisspelledField | null => findMisspelled(input, path, createObjectShape(fields))
