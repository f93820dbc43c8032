import { isRecord } from '../../../wire/json.ts'
import type { Json } from '../../../wire/json.ts'
import { findFirst, findMisspelledName } from './misspelled-field.ts'
import type { MisspelledField } from './misspelled-field.ts'

const GROUP_FIELDS = ['type', 'values'] as const
const FILTER_FIELDS = ['key', 'type', 'operator', 'value', 'group_type_index', 'negation'] as const
/** An event among the filters of sessions. */
const EVENT_FIELDS = ['id', 'name', 'type', 'properties'] as const

const isGroup = ({ type, values }: { readonly type?: unknown; readonly values?: unknown }): boolean =>
  values !== undefined || type === 'AND' || type === 'OR'

/**
 * Finds a misspelled field in property filters: a list, a group or a single one. An event among them may have filters of its own.
 *
 * @param input Not nested deeper than queries may be.
 */
export const findMisspelledFilter = (input: Json | undefined, path: string): MisspelledField | null => {
  if (Array.isArray(input))
    return findFirst(input.entries(), ([index, each]) => findMisspelledFilter(each as Json, `${path}[${index}]`))
  if (!isRecord(input)) return null
  if (isGroup(input))
    return findMisspelledName(input, path, GROUP_FIELDS) ?? findMisspelledFilter(input['values'], `${path}.values`)
  if (input['type'] === 'events')
    return (
      findMisspelledName(input, path, EVENT_FIELDS) ?? findMisspelledFilter(input['properties'], `${path}.properties`)
    )
  return findMisspelledName(input, path, FILTER_FIELDS)
}
