import type { Json } from '../../../wire/json.ts'
import { findMisspelled } from '../../fields/find-misspelled.ts'
import type { MisspelledField } from '../../fields/find-misspelled.ts'
import { FILTER_SHAPE } from './filter-shape.ts'

/**
 * Finds a misspelled field in property filters: a list, a group or a single one. An event among them may have filters of its own.
 *
 * @param input Not nested deeper than queries may be.
 */
export const findMisspelledFilter = (input: Json | undefined, path: string): MisspelledField | null =>
  findMisspelled(input, path, FILTER_SHAPE)
