import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { PropertyOwner } from '../question/names.ts'

/** A name of an event or a property that a query has. */
export interface UsedName {
  /** Its path in the input. */
  readonly path: string
  readonly name: string
  readonly of: { readonly kind: 'event' } | { readonly kind: 'property'; readonly owner: PropertyOwner }
}

/** Properties that events imply for their persons and groups. */
const IMPLIED: ReadonlySet<string> = new Set(['distinct_id', '$group_key'])

const asRecord = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

/**
 * Collects the names of events and properties that a query has: in its series, filters and breakdowns, and in the queries inside it.
 * Cohorts are not looked into.
 *
 * @param query As the schema of its kind says.
 * @param groupTypes By their index.
 */
export const collectNames = (
  query: JsonObject,
  groupTypes: Readonly<Record<string, string>>,
  root = 'query',
): readonly UsedName[] => {
  const names: UsedName[] = []
  const addEvent = (name: Json | undefined, path: string): void => {
    if (typeof name === 'string' && name !== '') names.push({ path, name, of: { kind: 'event' } })
  }
  const addProperty = (name: Json | undefined, owner: PropertyOwner | null, path: string): void => {
    if (typeof name !== 'string' || name === '' || owner === null || IMPLIED.has(name)) return
    names.push({ path, name, of: { kind: 'property', owner } })
  }
  const toOwner = (type: Json | undefined = 'event', index: Json | undefined = 0): PropertyOwner | null => {
    if (type === null || type === 'event' || type === 'feature' || type === 'event_properties') return { of: 'event' }
    if (type === 'person' || type === 'person_properties') return { of: 'person' }
    const group = groupTypes[typeof index === 'number' ? index : 0]
    return type === 'group' && group !== undefined ? { of: 'group', type: group } : null
  }
  const addFilters = (input: Json | undefined, path: string): void => {
    if (Array.isArray(input)) input.forEach((each: Json, index) => addFilters(each, `${path}[${index}]`))
    else if (isRecord(input) && input['values'] !== undefined) addFilters(input['values'], `${path}.values`)
    else if (isRecord(input)) {
      const { key, type, group_type_index: index } = input
      addProperty(key, toOwner(type, index), `${path}.key`)
    }
  }
  const addNode = (input: Json, path: string): void => {
    const node = asRecord(input)
    addEvent(node['event'], `${path}.event`)
    // In trends alone a property is measured; others have none.
    addProperty(node['math_property'], toOwner(node['math_property_type']), `${path}.math_property`)
    addFilters(node['properties'], `${path}.properties`)
    addFilters(node['fixedProperties'], `${path}.fixedProperties`)
  }
  const addBreakdown = (input: JsonObject, path: string): void => {
    const { breakdown, breakdowns, breakdown_type: type, breakdown_group_type_index: index } = input
    for (const [place, each] of asList(breakdowns).entries()) {
      const { property, type: ofEach, group_type_index: indexOfEach } = asRecord(each)
      addProperty(property, toOwner(ofEach, indexOfEach), `${path}.breakdowns[${place}].property`)
    }
    if (asList(breakdowns).length > 0) return
    for (const each of Array.isArray(breakdown) ? asList(breakdown) : [breakdown])
      addProperty(each, toOwner(type, index), `${path}.breakdown`)
  }
  const addQuery = (asked: JsonObject, path: string): void => {
    addEvent(asked['event'], `${path}.event`)
    asList(asked['series']).forEach((node, index) => addNode(node, `${path}.series[${index}]`))
    asList(asRecord(asked['funnelsFilter'])['exclusions']).forEach((node, index) =>
      addNode(node, `${path}.funnelsFilter.exclusions[${index}]`),
    )
    for (const name of ['targetEntity', 'returningEntity']) {
      const entity = asRecord(asRecord(asked['retentionFilter'])[name])
      addEvent(entity['id'], `${path}.retentionFilter.${name}.id`)
      addFilters(entity['properties'], `${path}.retentionFilter.${name}.properties`)
    }
    addBreakdown(asRecord(asked['breakdownFilter']), `${path}.breakdownFilter`)
    addFilters(asked['properties'], `${path}.properties`)
    addFilters(asked['fixedProperties'], `${path}.fixedProperties`)
    const { funnelSource } = asRecord(asked['funnelPathsFilter'])
    if (isRecord(funnelSource)) addQuery(funnelSource, `${path}.funnelPathsFilter.funnelSource`)
    if (isRecord(asked['source'])) addQuery(asked['source'], `${path}.source`)
  }
  addQuery(query, root)
  return names
}
