import type { FlagValue } from '../wire/decide.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { sanitizeId } from '../wire/stored-id.ts'

/** Why a flag has its value: a reason code of the protocol. */
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
 * Why a flag has no value here, strongest first: experience continuity, which only the service stores; a definition that this
 * evaluator does not support; a dependency without a value; context about the person or group that was not given.
 */
export type InconclusiveReason =
  | 'experience_continuity'
  | 'unsupported_definition'
  | 'unresolved_dependency'
  | 'missing_context'

/** A flag's value and the reason for it. Frozen. */
export interface Conclusive {
  readonly value: FlagValue
  /** The variant's key; undefined when the value is a boolean. */
  readonly variant: string | undefined
  /** Parsed payload; undefined when there is none. Deeply frozen, because all evaluations share it. */
  readonly payload: Json | undefined
  /** The payload as a JSON string, as it is sent. */
  readonly payloadText: string | undefined
  readonly reason: ReasonCode
  /** Index of the condition group that decided, from 0; undefined when none did. */
  readonly conditionIndex: number | undefined
  /** True for a condition that matched, false for one whose rollout excluded the person; undefined when no condition decided. */
  readonly inRollout: boolean | undefined
}

/** Why there is no value. Frozen. */
export interface Inconclusive {
  readonly value: undefined
  readonly reason: InconclusiveReason
  /** One sentence that explains the reason to people. */
  readonly detail: string
  /** Only the service can decide: no later condition is tried. */
  readonly requiresServer?: boolean | undefined
  /** A pattern cannot be searched here: a later condition decides only if it gives the same value. */
  readonly blocks?: boolean | undefined
}

export type Evaluation = Conclusive | Inconclusive

/** For whom and at what time a flag is evaluated. Create it with `evaluationContext`; evaluations store nothing in it. */
export interface EvaluationContext {
  /** Undefined when it was not given: flags that are hashed by it are then inconclusive. */
  readonly distinctId: string | undefined
  /** Flags with `bucketing_identifier: "device_id"` are hashed by it. */
  readonly deviceId: string | undefined
  /** The id before `identify`: flags with experience continuity are hashed by it. */
  readonly anonDistinctId: string | undefined
  /** The stored id that flags with experience continuity are hashed by; only the service knows it. Wins over `anonDistinctId`. */
  readonly hashKey: string | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** `distinct_id` need not be included. */
  readonly personProperties: JsonObject
  /** Group type to properties; `$group_key` need not be included. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** True when all properties are known (in the service): the person then really lacks a missing one. */
  readonly complete: boolean
  /** Milliseconds since 1970; relative dates count from here. */
  readonly now: number
}

/** Input of `evaluationContext`: a context in which most fields are optional. */
export type GivenContext = Partial<EvaluationContext> & Pick<EvaluationContext, 'distinctId' | 'complete' | 'now'>

const EMPTY: Readonly<Record<string, never>> = {}

/** Most ids are stored as they are; this test is faster than `sanitizeId`. */
const CHANGES_WHEN_STORED = /[\0\ud800-\udfff]/

const isStoredId = (input: unknown): input is string => typeof input === 'string' && !CHANGES_WHEN_STORED.test(input)

const isStoredKey = (input: unknown): boolean => isStoredId(input) && isNonBlankString(input)

/**
 * Returns an id as the service stores it, so that agents and service hash the same. Undefined for one that cannot be stored. Numbers
 * become strings, because untyped callers pass row ids.
 */
const toId = (input: unknown): string | undefined => (isStoredId(input) ? input : (sanitizeId(input) ?? undefined))

/** Like `toId`, but a blank id means none. */
const toNonBlankId = (input: unknown): string | undefined => {
  const id = toId(input)
  return isNonBlankString(id) ? id : undefined
}

/** Returns the same object when all group keys are as the service stores them. */
const toGroups = (input: Readonly<Record<string, unknown>>): EvaluationContext['groups'] => {
  for (const type in input) if (!isStoredKey(input[type])) return convertGroupKeys(input)
  return input as EvaluationContext['groups']
}

const convertGroupKeys = (input: Readonly<Record<string, unknown>>): EvaluationContext['groups'] =>
  Object.fromEntries(
    Object.entries(input).flatMap(([type, key]) => {
      const id = toNonBlankId(key)
      return id === undefined ? [] : [[type, id]]
    }),
  )

/** Outside the service, the id may be given as a person property. */
const getDeviceId = ({ deviceId, complete, personProperties }: GivenContext): string | undefined =>
  toNonBlankId(deviceId) ?? (complete ? undefined : toNonBlankId(personProperties?.['$device_id']))

/**
 * Creates a context for the evaluation of any number of flags. Later changes that the caller makes to its properties or groups are
 * visible to the next evaluation.
 *
 * @param given Ids are taken as the service stores them: safe integers become strings (`42` becomes `"42"`) and NUL is removed. Ids of
 *   any other type, and blank group keys and device ids, are treated as not given.
 */
export const evaluationContext = (given: GivenContext): EvaluationContext => ({
  distinctId: toId(given.distinctId),
  deviceId: getDeviceId(given),
  anonDistinctId: toId(given.anonDistinctId),
  hashKey: given.hashKey,
  groups: toGroups(given.groups ?? EMPTY),
  personProperties: given.personProperties ?? EMPTY,
  groupProperties: given.groupProperties ?? EMPTY,
  complete: given.complete,
  now: given.now,
})
