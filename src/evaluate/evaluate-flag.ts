import type { JsonObject } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { CompiledCondition, CompiledFlag } from './compile-flag.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import type { Verdict } from './operators/operator.ts'

const NO_PROPERTIES: JsonObject = {}

const missing = (detail: string): Inconclusive => ({ value: undefined, reason: 'missing_context', detail })

const CONTINUITY: Inconclusive = {
  value: undefined,
  reason: 'experience_continuity',
  detail: 'only the service knows the id that this flag was first evaluated for',
}
const MISSING_GROUP = missing('the group that this flag is for was not given')
const MISSING_DEVICE = missing('the device id that this flag is bucketed by was not given')
const MISSING_PROPERTY = missing('a property that decides was not given')

/** A filter that fails decides, whatever is unknown about the others. */
const passes = (condition: CompiledCondition, properties: JsonObject, context: EvaluationContext): Verdict => {
  let verdict: Verdict = true
  for (const filter of condition.filters) {
    const here = filter(properties, context)
    if (here === false) return false
    if (here === undefined) verdict = undefined
  }
  return verdict
}

const variantAt = (bounds: readonly number[], position: number): number => {
  let index = 0
  while (index < bounds.length && position >= bounds[index]!) index++
  return index
}

/** Runs one flag. Condition groups in written order, the first that matches decides. Allocates nothing. */
export const evaluateFlag = (flag: CompiledFlag, context: EvaluationContext): Evaluation => {
  if (!flag.active) return flag.off.flag_disabled
  const { complete } = context
  if (flag.continuity && !complete) return CONTINUITY
  if (flag.unsupported) return flag.unsupported

  let id: string | undefined = context.distinctId
  let properties = context.personProperties
  if (flag.groupType !== undefined) {
    // A type may be called `constructor`, which every object inherits.
    id = Object.prototype.hasOwnProperty.call(context.groups, flag.groupType)
      ? context.groups[flag.groupType]
      : undefined
    if (id === undefined) return complete ? flag.off.no_group_type : MISSING_GROUP
    properties = context.groupProperties[flag.groupType] ?? NO_PROPERTIES
  } else if (flag.byDevice) id = context.deviceId
  else if (flag.continuity) id = context.anonDistinctId ?? id

  let position = -1
  let nearest: Conclusive = flag.off.no_condition_match
  let unknown: Inconclusive | undefined
  for (const condition of flag.conditions) {
    const verdict = passes(condition, properties, context)
    if (verdict === undefined) unknown = unknown ?? MISSING_PROPERTY
    if (!verdict) continue
    if (!id && (condition.rollout !== undefined || condition.fixed === undefined)) {
      // Nobody to hash: the service passes over the condition, elsewhere the id may just not have been given.
      if (complete) nearest = condition.excluded
      else unknown = MISSING_DEVICE
      continue
    }
    if (condition.rollout !== undefined) {
      if (position < 0) position = bucket(flag.prefix, id!, '')
      if (position > condition.rollout) {
        nearest = condition.excluded
        continue
      }
    }
    return condition.matches[condition.fixed ?? variantAt(flag.bounds, bucket(flag.prefix, id!, 'variant'))]!
  }
  return unknown ?? nearest
}
