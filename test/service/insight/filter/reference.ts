import { compileFilter } from '../../../../src/evaluate/compile-filter.ts'
import type { CompiledFilter } from '../../../../src/evaluate/compiled-flag.ts'
import { evaluationContext } from '../../../../src/evaluate/evaluation.ts'
import { createFindings } from '../../../../src/evaluate/scope.ts'
import type { FilterContext } from '../../../../src/service/insight/filter/filter-context.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

/** An event with its person and group, as `evaluate/` can read them. */
export interface TestEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  readonly personId: string
  readonly timestamp: number
  readonly properties: JsonObject
  /** Undefined if its events created no person. */
  readonly person: JsonObject | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** Group type to properties. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
}

const createFilter = (
  filter: JsonObject,
  groupType: string | undefined,
  { rules, groupTypes, cohorts }: FilterContext,
): CompiledFilter =>
  compileFilter(filter, 'filter', {
    sharedScope: {
      rules,
      groupTypes,
      cohorts: cohorts as JsonObject,
      flagKeys: new Set(),
      compiledCohorts: new Map(),
      getEvaluationOrder: () => undefined,
    },
    groupType,
    findings: createFindings(),
    depth: 0,
  })

/** Whether an event matches a filter, a group or a list of filters, by the filters of `evaluate/`, one event at a time. */
export const matchesEvent = (input: Json, event: TestEvent, context: FilterContext): boolean => {
  if (Array.isArray(input)) return input.every((each: Json) => matchesEvent(each, event, context))
  const filter = input as JsonObject
  if (Object.keys(filter).length === 0) return true
  const { type, values } = filter
  if (Array.isArray(values)) {
    if (values.length === 0) return true
    const matches = (each: Json): boolean => matchesEvent(each, event, context)
    return type === 'AND' ? values.every(matches) : values.some(matches)
  }
  const evaluate = (properties: JsonObject, groupType?: string, distinctId?: string): boolean => {
    const state = evaluationContext({ distinctId, groups: event.groups, complete: true, now: context.now })
    const compiled = createFilter(type === 'cohort' ? filter : { ...filter, type: 'person' }, groupType, context)
    const result = compiled(properties, state)
    // A filter without a result matches nothing, whether negated or not.
    return typeof result === 'boolean' && result !== (filter['negation'] === true)
  }
  switch (type) {
    case 'person':
    case 'cohort':
      return evaluate(event.person ?? {}, undefined, event.distinctId)
    case 'group': {
      const groupType = context.groupTypes[Number(filter['group_type_index'])]!
      if (event.groups[groupType] === undefined) return false
      return evaluate(event.groupProperties[groupType] ?? {}, groupType)
    }
    case 'event_metadata':
      return evaluate({
        event: event.event,
        distinct_id: event.distinctId,
        person_id: event.personId,
        timestamp: new Date(event.timestamp).toISOString(),
        uuid: event.uuid,
      })
    default:
      return evaluate(event.properties)
  }
}
