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
  /** A text that cannot be searched here: a later condition may decide only if it gives the same value. */
  readonly blocks?: boolean | undefined
}

export type Evaluation = Conclusive | Inconclusive

/** Whom a flag is evaluated for, and when. Built by `evaluationContext`. */
export interface EvaluationContext {
  readonly distinctId: string
  /** What flags with `bucketing_identifier: "device_id"` are hashed by. */
  readonly deviceId: string | undefined
  /** The id before `identify`: flags with experience continuity are hashed by it. */
  readonly anonDistinctId: string | undefined
  /** Flag key to the id that a flag with experience continuity was first evaluated for; only the service knows. Wins over the one above. */
  readonly hashKeys: ReadonlyMap<string, string> | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** `distinct_id` need not be in them. */
  readonly personProperties: JsonObject
  /** Group type to properties; `$group_key` need not be in them. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** True where all properties are known (the service): a missing one is then one that the person does not have. */
  readonly complete: boolean
  /** Milliseconds since 1970: relative dates count from here. */
  readonly now: number
  /** What flags that others depend on came out as, filled in when there are any: each is evaluated once for a context. */
  evaluated: Map<object, Evaluation> | undefined
}

/** What a caller says of a context. */
export type GivenContext = Pick<EvaluationContext, 'distinctId' | 'complete' | 'now'> & {
  readonly [K in Exclude<keyof EvaluationContext, 'evaluated'>]?: EvaluationContext[K]
}

const NONE: Readonly<Record<string, never>> = {}

/** An id that is empty is none. Elsewhere than in the service the device may be given as a person property. */
const deviceOf = ({ deviceId, complete, personProperties }: GivenContext): string | undefined => {
  if (deviceId || complete) return deviceId || undefined
  const id = personProperties?.['$device_id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Completes a context. It is good for all flags of a set, for as long as nothing in it changes. */
export const evaluationContext = (given: GivenContext): EvaluationContext => ({
  distinctId: given.distinctId,
  deviceId: deviceOf(given),
  anonDistinctId: given.anonDistinctId,
  hashKeys: given.hashKeys,
  groups: given.groups ?? NONE,
  personProperties: given.personProperties ?? NONE,
  groupProperties: given.groupProperties ?? NONE,
  complete: given.complete,
  now: given.now,
  evaluated: undefined,
})
