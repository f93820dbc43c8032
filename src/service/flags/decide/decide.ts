import { randomUUID } from 'node:crypto'
import { evaluateFlag } from '../../../evaluate/evaluate-flag.ts'
import { WORK_EXCEEDED } from '../../../evaluate/inconclusive.ts'
import { isMeantFor } from '../../../evaluate/is-meant-for.ts'
import { evaluationContext } from '../../../evaluate/evaluation.ts'
import type { Evaluation, EvaluationContext } from '../../../evaluate/evaluation.ts'
import { shareWork } from '../../../evaluate/work-budget.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import { isEmptyObject } from '../../../wire/json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { GeoLookup } from '../../geo/geo-lookup.ts'
import { readGroups } from '../../persons/read-groups.ts'
import { createReadPerson, MAX_READ_MS } from '../../persons/read-person.ts'
import { waitAtMost } from '../../wait-at-most.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { Decide, FlagRequest } from './flag-request.ts'
import { parseFlagRequestBody } from './parse-flag-request-body.ts'
import type { FlagRequestBody } from './parse-flag-request-body.ts'
import type { DecideResult } from './decide-result.ts'
import type { FlagSets } from '../definitions/flag-sets.ts'
import { resolveHashKey } from './resolve-hash-key.ts'
import type { RequiredData } from './required-data.ts'
import { mergePersonProperties } from './merge-person-properties.ts'

export interface DecideOptions {
  readonly metadata: Metadata
  readonly flagSets: FlagSets
  readonly geo: GeoLookup
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

const withTimeout = <Result>(read: Promise<Result>): Promise<Result> => waitAtMost(read, MAX_READ_MS)

const NO_PROPERTIES: JsonObject = {}
const NO_GROUPS: Readonly<Record<string, JsonObject>> = {}

const FAILURE: Evaluation = {
  value: undefined,
  reason: 'unsupported_definition',
  detail: 'Evaluating this flag failed with an internal error; see the log of the service.',
}

/** Logged with a limit on its frequency, as all errors: visitors can cause it. */
const createWorkError = (projectId: number): Error =>
  new Error(
    `Flags of project ${projectId} had no value for a request: all its flags together reach the work limit. Its properties or ids are long, or the project has too many conditions.`,
  )

const isMissingAny = (properties: JsonObject, keys: Iterable<string>): boolean => {
  for (const key of keys) if (!Object.hasOwn(properties, key)) return true
  return false
}

/** The groups of a request whose stored properties a flag may read. */
const groupsToRead = (
  { groups, groupProperties }: FlagRequestBody,
  required: readonly RequiredData[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(groups).filter(([type]) =>
      required.some(({ groupKeys }) => isMissingAny(groupProperties[type] ?? NO_PROPERTIES, groupKeys.get(type) ?? [])),
    ),
  )

/**
 * Creates the function that evaluates the flags of a request with the compiled definitions in memory. It reads the person and
 * the groups at most once each, and only if a requested flag uses properties that the request does not contain. It reads or
 * stores the hash key if a requested flag has experience continuity. A flag that fails does not affect the others.
 */
export const createDecide = ({ metadata, flagSets, geo, now, onError }: DecideOptions): Decide => {
  const readPerson = createReadPerson(metadata)

  const createContext = async (
    { projectId, connectionIp, forwardedIp }: FlagRequest,
    body: FlagRequestBody,
    required: readonly RequiredData[],
    evaluatedAt: number,
  ): Promise<EvaluationContext> => {
    try {
      const groupsOfFlags = groupsToRead(body, required)
      const [person, groups, hashKey] = await Promise.all([
        required.some(({ personKeys }) => isMissingAny(body.personProperties, personKeys))
          ? readPerson(projectId, body.distinctId)
          : undefined,
        isEmptyObject(groupsOfFlags) ? NO_GROUPS : withTimeout(readGroups(metadata, projectId, groupsOfFlags)),
        required.some(({ usesHashKey }) => usesHashKey)
          ? withTimeout(resolveHashKey({ metadata, onError }, projectId, body, evaluatedAt))
          : undefined,
      ])
      const canUseGeo = body.usesGeo && required.some(({ usesGeo }) => usesGeo)
      const locate = (ip: string | undefined): JsonObject => (canUseGeo && ip !== undefined ? geo(ip) : NO_PROPERTIES)
      // Fields are listed because creating this object with `...body` takes longer than evaluating a flag.
      return evaluationContext({
        distinctId: body.distinctId,
        deviceId: body.deviceId,
        anonDistinctId: body.anonDistinctId,
        groups: body.groups,
        personProperties: mergePersonProperties({
          connection: locate(connectionIp),
          stored: person?.properties ?? NO_PROPERTIES,
          forwarded: locate(forwardedIp),
          requested: body.personProperties,
        }),
        groupProperties: Object.fromEntries(
          Object.keys(body.groups).map((type) => [type, { ...groups[type], ...body.groupProperties[type] }]),
        ),
        hashKey,
        complete: true,
        now: evaluatedAt,
      })
    } catch (error) {
      onError(error)
      // Flags that need no stored property can still be evaluated; the others become errors, not wrong values.
      return evaluationContext({ ...body, complete: false, now: evaluatedAt })
    }
  }

  return async (request) => {
    const body = parseFlagRequestBody(request.body)
    const set = await flagSets.get(request.projectId)
    const evaluatedAt = now()
    const common = {
      isPaused: set.isPaused,
      minimalFlagCalledEvents: set.minimalFlagCalledEvents,
      requestId: randomUUID(),
      evaluatedAt,
    }
    const requested = set.isPaused ? [] : set.flags.filter(({ definition }) => isRequested(definition, body))
    if (requested.length === 0) return { ...common, results: [] }
    const context = await createContext(request, body, set.findRequiredData(requested), evaluatedAt)
    const results: DecideResult['results'] = shareWork(() =>
      requested.map((flag) => {
        const { definition } = flag
        try {
          return { definition, evaluation: evaluateFlag(flag, context) }
        } catch (error) {
          onError(error)
          return { definition, evaluation: FAILURE }
        }
      }),
    )
    // A flag that depends on one without a value has another reason.
    if (results.some(({ evaluation }) => evaluation === WORK_EXCEEDED)) onError(createWorkError(request.projectId))
    return { ...common, results }
  }
}

/** Whether a request includes a flag, judging by the flag's key, runtime and contexts. */
const isRequested = (
  definition: FlagDefinition,
  { keys, runtime, contexts }: Pick<FlagRequestBody, 'keys' | 'runtime' | 'contexts'>,
): boolean => (!keys || keys.has(definition.key)) && isMeantFor(definition, runtime, contexts)
