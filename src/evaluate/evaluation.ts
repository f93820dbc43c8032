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

/** A value, and how it came about. Frozen. */
export interface Conclusive {
  readonly value: FlagValue
  /** The key of the variant, for a value that is one. */
  readonly variant: string | undefined
  /** Parsed; undefined when there is none. Frozen, with all that is in it, since all evaluations share it. */
  readonly payload: Json | undefined
  /** As JSON text, the form of the wire. */
  readonly payloadText: string | undefined
  readonly reason: ReasonCode
  /** The condition group that decided, from 0; undefined when none did. */
  readonly conditionIndex: number | undefined
  /** True for a condition that matched, false for one whose rollout kept somebody out; undefined when none was asked. */
  readonly inRollout: boolean | undefined
}

/** Why there is no value. Frozen. */
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

/** Whom a flag is evaluated for, and when. Built by `evaluationContext`; nothing is kept in it. */
export interface EvaluationContext {
  /** Undefined when it was not given: flags that are hashed by it are inconclusive then. */
  readonly distinctId: string | undefined
  /** What flags with `bucketing_identifier: "device_id"` are hashed by. */
  readonly deviceId: string | undefined
  /** The id before `identify`: flags with experience continuity are hashed by it. */
  readonly anonDistinctId: string | undefined
  /** The id that the person's flags with experience continuity are hashed by for good; only the service knows. Wins over the one above. */
  readonly hashKey: string | undefined
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
}

/** What a caller says of a context. */
export type GivenContext = Partial<EvaluationContext> & Pick<EvaluationContext, 'distinctId' | 'complete' | 'now'>

const NONE: Readonly<Record<string, never>> = {}

/** Not all callers are held to the types: a number, often that of a row, is good for its text; anything else is no id. */
const idOf = (given: unknown): string | undefined => {
  if (typeof given === 'string') return given
  return typeof given === 'number' && Number.isFinite(given) ? String(given) : undefined
}

/** The groups themselves when all their keys are texts. */
const groupsOf = (given: Readonly<Record<string, unknown>>): EvaluationContext['groups'] => {
  for (const type in given) if (typeof given[type] !== 'string') return withIds(given)
  return given as EvaluationContext['groups']
}

const withIds = (given: Readonly<Record<string, unknown>>): EvaluationContext['groups'] =>
  Object.fromEntries(
    Object.entries(given).flatMap(([type, key]) => {
      const id = idOf(key)
      return id === undefined ? [] : [[type, id]]
    }),
  )

/** An id that is empty is none. Elsewhere than in the service the device may be given as a person property. */
const deviceOf = ({ deviceId, complete, personProperties }: GivenContext): string | undefined => {
  const given = idOf(deviceId)
  if (given || complete) return given || undefined
  const id = personProperties?.['$device_id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * Completes a context. It is good for any number of flags; what a caller changes later in its properties or groups is seen by
 * the next evaluation.
 *
 * @param given Ids that are finite numbers count as their text (`42` as `"42"`); any that is neither counts as not given.
 */
export const evaluationContext = (given: GivenContext): EvaluationContext => ({
  distinctId: idOf(given.distinctId),
  deviceId: deviceOf(given),
  anonDistinctId: idOf(given.anonDistinctId),
  hashKey: given.hashKey,
  groups: groupsOf(given.groups ?? NONE),
  personProperties: given.personProperties ?? NONE,
  groupProperties: given.groupProperties ?? NONE,
  complete: given.complete,
  now: given.now,
})
