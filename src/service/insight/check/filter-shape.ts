import type { ObjectShape, ValueShape } from '../../fields/field-shape.ts'
import { PROTOCOL_FIELDS } from './protocol-fields.ts'

const isIgnored = (name: string): boolean => PROTOCOL_FIELDS.has(name)

const isGroup = ({ type, values }: { readonly type?: unknown; readonly values?: unknown }): boolean =>
  values !== undefined || type === 'AND' || type === 'OR'

/** Property filters: a list, a group or a single one. An event among them may have filters of its own. */
export const FILTER_SHAPE: ValueShape = {
  choose: (value) => {
    if (Array.isArray(value)) return { items: FILTER_SHAPE }
    const filter = value as { readonly type?: unknown; readonly values?: unknown }
    if (isGroup(filter)) return GROUP
    return filter.type === 'events' ? EVENT : FILTER
  },
}

const GROUP: ObjectShape = { fields: { type: null, values: FILTER_SHAPE }, isIgnored }

const FILTER: ObjectShape = {
  fields: { key: null, type: null, operator: null, value: null, group_type_index: null, negation: null },
  isIgnored,
}

/** An event among the filters of sessions. */
const EVENT: ObjectShape = { fields: { id: null, name: null, type: null, properties: FILTER_SHAPE }, isIgnored }
