import type { FlagValue } from '../wire/decide.ts'
import type { Json, JsonObject } from '../wire/json.ts'

/** Why a flag has its value, in the protocol's words. */
export type ReasonCode =
  | 'super_condition_value'
  | 'holdout_condition_value'
  | 'condition_match'
  | 'no_condition_match'
  | 'out_of_rollout_bound'
  | 'no_group_type'
  | 'missing_dependency'
  | 'flag_disabled'

/**
 * Why a flag has no value here, the strongest first: continuity only the service keeps; a definition this evaluator cannot
 * run; a flag it depends on has no value; something about the person or group that was not given.
 */
export type InconclusiveReason =
  | 'experience_continuity'
  | 'unsupported_definition'
  | 'unresolved_dependency'
  | 'missing_context'

export interface Conclusive {
  readonly value: FlagValue
  /** The key of the variant, for a value that is one. */
  readonly variant: string | undefined
  /** Parsed; undefined when there is none. Shared by all evaluations: do not write to it. */
  readonly payload: Json | undefined
  /** As JSON text, the form of the wire. */
  readonly payloadText: string | undefined
  readonly reason: ReasonCode
  /** The condition group that decided, from 0; undefined when none did. */
  readonly conditionIndex: number | undefined
  /** True for a condition that matched, false for one whose rollout kept somebody out; undefined when none was asked. */
  readonly inRollout: boolean | undefined
}

export interface Inconclusive {
  readonly value: undefined
  readonly reason: InconclusiveReason
  /** One sentence for people. */
  readonly detail: string
  /** Only the service can tell: no later condition may decide. */
  readonly requiresServer?: boolean | undefined
}

export type Evaluation = Conclusive | Inconclusive

/** Whom a flag is evaluated for, and when. Built by `evaluationContext`. */
export interface EvaluationContext {
  readonly distinctId: string
  /** What flags with `bucketing_identifier: "device_id"` are hashed by. */
  readonly deviceId: string | undefined
  /** The id before `identify`: flags with experience continuity are hashed by it. */
  readonly anonDistinctId: string | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  readonly personProperties: JsonObject
  /** Group type to properties. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** True where all properties are known (the service): a missing one is then one that the person does not have. */
  readonly complete: boolean
  /** Milliseconds since 1970: relative dates count from here. */
  readonly now: number
}

/** What a caller says of a context; `now` matters to relative dates alone. */
export type GivenContext = Pick<EvaluationContext, 'distinctId' | 'complete' | 'now'> & {
  readonly [K in keyof EvaluationContext]?: EvaluationContext[K]
}

/** Completes a context with the properties that exist by themselves: `distinct_id` of a person, `$group_key` of a group. */
export const evaluationContext = (given: GivenContext): EvaluationContext => {
  const groups = given.groups ?? {}
  const groupProperties: Record<string, JsonObject> = {}
  for (const type of Object.keys(groups))
    groupProperties[type] = { $group_key: groups[type]!, ...given.groupProperties?.[type] }
  return {
    distinctId: given.distinctId,
    deviceId: given.deviceId,
    anonDistinctId: given.anonDistinctId,
    groups,
    personProperties: { distinct_id: given.distinctId, ...given.personProperties },
    groupProperties,
    complete: given.complete,
    now: given.now,
  }
}
