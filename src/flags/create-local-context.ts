import { evaluationContext } from '../evaluate/evaluation.ts'
import type { EvaluationContext } from '../evaluate/evaluation.ts'
import type { DecideRequest } from '../wire/decide.ts'
import type { JsonObject } from '../wire/json.ts'

/**
 * Creates the context of a local evaluation.
 *
 * @param subject The body of the request to the service. A property that it does not contain is unknown, not absent.
 * @param now Milliseconds since 1970; relative dates count from here.
 */
export const createLocalContext = (subject: DecideRequest, now: number): EvaluationContext =>
  evaluationContext({
    distinctId: subject.distinct_id,
    deviceId: subject.$device_id,
    groups: subject.groups,
    personProperties: subject.person_properties,
    groupProperties: subject.group_properties as Readonly<Record<string, JsonObject>> | undefined,
    complete: false,
    now,
  })
