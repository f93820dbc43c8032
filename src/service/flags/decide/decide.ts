import { randomUUID } from 'node:crypto'
import { evaluateFlag } from '../../../evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../evaluate/evaluation.ts'
import type { Evaluation, EvaluationContext } from '../../../evaluate/evaluation.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Geo } from '../../geo/geo.ts'
import { readGroups } from '../../persons/read-groups.ts'
import { createReadPerson } from '../../persons/read-person.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { Decide, DecideCall } from './decide-call.ts'
import { readDecideSubject } from './decide-subject.ts'
import type { DecideSubject } from './decide-subject.ts'
import type { Evaluated } from './evaluated.ts'
import type { FlagSets } from '../definitions/flag-sets.ts'
import { keepHashKey } from './keep-hash-key.ts'
import type { Needs } from './needs.ts'
import { personProperties } from './person-properties.ts'
import { isWanted } from './is-requested.ts'

export interface DecideParts {
  readonly metadata: Metadata
  readonly flagSets: FlagSets
  readonly geo: Geo
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

const NOTHING: JsonObject = {}

const FAILURE: Evaluation = {
  value: undefined,
  reason: 'unsupported_definition',
  detail: 'The evaluation of this flag failed.',
}

const lacks = (given: JsonObject, keys: Iterable<string>): boolean => {
  for (const key of keys) if (!Object.hasOwn(given, key)) return true
  return false
}

/** Of a request's groups those whose stored properties a flag could look at. */
const groupsToRead = ({ groups, groupProperties }: DecideSubject, needs: readonly Needs[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(groups).filter(([type]) =>
      needs.some(({ groupKeys }) => lacks(groupProperties[type] ?? NOTHING, groupKeys.get(type) ?? [])),
    ),
  )

/**
 * Makes the function that evaluates the flags of a request: compiled definitions from memory, one read of the person's and
 * one of the groups' properties where a wanted flag looks at some that the request does not give, and what of the person is
 * hashed where a wanted one keeps it. A flag that fails spoils no other.
 */
export const createDecide = ({ metadata, flagSets, geo, now, onError }: DecideParts): Decide => {
  const readPerson = createReadPerson(metadata)

  const contextOf = async (
    { projectId, connection, forwarded }: DecideCall,
    subject: DecideSubject,
    needs: readonly Needs[],
    at: number,
  ): Promise<EvaluationContext> => {
    try {
      const [person, groups, hashKey] = await Promise.all([
        needs.some(({ personKeys }) => lacks(subject.personProperties, personKeys))
          ? readPerson(projectId, subject.distinctId)
          : undefined,
        readGroups(metadata, projectId, groupsToRead(subject, needs)),
        needs.some(({ isContinuous }) => isContinuous)
          ? keepHashKey({ metadata, onError }, projectId, subject, at)
          : undefined,
      ])
      const usesGeo = subject.usesGeo && needs.some(({ readsGeo }) => readsGeo)
      const placeOf = (address: string | undefined): JsonObject =>
        usesGeo && address !== undefined ? geo(address) : NOTHING
      // Written out: objects of this form made by `...subject` take longer to make than a flag takes to evaluate.
      return evaluationContext({
        distinctId: subject.distinctId,
        deviceId: subject.deviceId,
        anonDistinctId: subject.anonDistinctId,
        groups: subject.groups,
        personProperties: personProperties({
          connection: placeOf(connection),
          stored: person?.properties ?? NOTHING,
          forwarded: placeOf(forwarded),
          given: subject.personProperties,
        }),
        groupProperties: Object.fromEntries(
          Object.keys(subject.groups).map((type) => [type, { ...groups[type], ...subject.groupProperties[type] }]),
        ),
        hashKey,
        complete: true,
        now: at,
      })
    } catch (error) {
      onError(error)
      // Flags that need no stored property can still be computed; the others become errors, not wrong values.
      return evaluationContext({ ...subject, complete: false, now: at })
    }
  }

  return async (call) => {
    const subject = readDecideSubject(call.body)
    const set = await flagSets.of(call.projectId)
    const evaluatedAt = now()
    const facts = {
      isPaused: set.isPaused,
      minimalFlagCalledEvents: set.minimalFlagCalledEvents,
      requestId: randomUUID(),
      evaluatedAt,
    }
    const wanted = set.isPaused ? [] : set.flags.filter(({ definition }) => isWanted(definition, subject))
    if (wanted.length === 0) return { ...facts, results: [] }
    const context = await contextOf(call, subject, set.needs(wanted), evaluatedAt)
    const results: Evaluated['results'] = wanted.map((flag) => {
      const { definition } = flag
      try {
        return { definition, evaluation: evaluateFlag(flag, context) }
      } catch (error) {
        onError(error)
        return { definition, evaluation: FAILURE }
      }
    })
    return { ...facts, results }
  }
}
