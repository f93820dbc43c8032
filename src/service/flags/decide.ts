import { randomUUID } from 'node:crypto'
import { evaluateFlag } from '../../evaluate/evaluate-flag.ts'
import { type Conclusive, type EvaluationContext, evaluationContext } from '../../evaluate/evaluation.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Decide } from '../app.ts'
import { readGroups } from '../persons/read-groups.ts'
import { readPerson } from '../persons/read-person.ts'
import { decideAnswer, type Evaluated } from './decide-answer.ts'
import { type DecideSubject, readDecideSubject } from './decide-subject.ts'
import { createFlagSets, type FlagSet, type FlagSetsParts } from './flag-sets.ts'

const merged = (
  groups: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, JsonObject>>,
  given: Readonly<Record<string, JsonObject>>,
): Record<string, JsonObject> =>
  Object.fromEntries(Object.keys(groups).map((type) => [type, Object.assign({}, stored[type], given[type])]))

/**
 * Makes the handler of flag requests: compiled definitions from memory, one read of the person's and one of the groups'
 * properties where a flag looks at them. A flag that fails is left out of the answer, and `errorsWhileComputingFlags`
 * says so.
 */
export const createDecide = (parts: FlagSetsParts): Decide => {
  const { metadata, now, onError } = parts
  const flagSetOf = createFlagSets(parts)

  const contextOf = async (projectId: number, subject: DecideSubject, set: FlagSet): Promise<EvaluationContext> => {
    try {
      const [person, groups] = await Promise.all([
        set.readsPersons ? readPerson(metadata, projectId, subject.distinctId) : undefined,
        set.readsGroups ? readGroups(metadata, projectId, subject.groups) : {},
      ])
      return evaluationContext({
        ...subject,
        personProperties: { ...person?.properties, ...subject.personProperties },
        groupProperties: merged(subject.groups, groups, subject.groupProperties),
        complete: true,
        now: now(),
      })
    } catch (error) {
      onError(error)
      // Flags that need no stored property can still be computed; the others become errors, not wrong values.
      return evaluationContext({ ...subject, complete: false, now: now() })
    }
  }

  const evaluate = (set: FlagSet, subject: DecideSubject, context: EvaluationContext): Omit<Evaluated, 'requestId'> => {
    const flags = new Map<string, Conclusive>()
    let hasErrors = false
    for (const [key, flag] of set.flags) {
      if (subject.keys && !subject.keys.has(key)) continue
      try {
        const evaluation = evaluateFlag(flag, context)
        if (evaluation.value === undefined) hasErrors = true
        else flags.set(key, evaluation)
      } catch (error) {
        hasErrors = true
        onError(error)
      }
    }
    return { flags, hasErrors, isPaused: false }
  }

  return async ({ projectId, body }) => {
    const subject = readDecideSubject(body)
    const set = await flagSetOf(projectId)
    const requestId = randomUUID()
    if (set.isPaused) return decideAnswer({ flags: new Map(), hasErrors: false, isPaused: true, requestId })
    return decideAnswer({ ...evaluate(set, subject, await contextOf(projectId, subject, set)), requestId })
  }
}
