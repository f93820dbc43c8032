import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { checkUrl, checkNesting, checkThat, parseOptionalString, parseString } from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { EARLY_ACCESS_SHAPE } from '../flags/definitions/early-access-shape.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import type { DefinitionChange } from '../flags/definitions/save-definitions.ts'
import { notFound } from '../http-error.ts'
import {
  findEarlyAccessFeature,
  listEarlyAccessFeatures,
  listEarlyAccessFeaturesPage,
  removeEarlyAccessFeature,
  saveEarlyAccessFeature,
  STAGES,
} from '../store/metadata/early-access-features.ts'
import type { EarlyAccessFeature, EarlyAccessFields, Stage } from '../store/metadata/early-access-features.ts'
import { findFlag } from '../store/metadata/flags.ts'
import type { NewFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion } from './change.ts'
import type { ManagementContext } from './change.ts'
import { checkSentBody, withWarnings } from './check-sent-body.ts'
import { getLinkedFlag } from './get-linked-flag.ts'
import type { RequireScope, Resource } from './resource.ts'
import {
  EarlyAccessFeatureChange,
  EarlyAccessFeatureInput,
  EarlyAccessFeatureSchema,
} from './schema/early-access-feature.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 200
/** Longest description, URL and payload (as JSON), in characters: pages download all of them. */
const MAX_TEXT_LENGTH = 10_000

const parseText = (body: JsonObject, attr: string, fallback: string): string =>
  body[attr] === undefined ? fallback : parseOptionalString(body[attr], attr, MAX_TEXT_LENGTH)

const parseStage = (body: JsonObject, fallback: Stage): Stage => {
  const stage = body['stage'] === undefined ? fallback : STAGES.find((name) => name === body['stage'])
  if (stage) return stage
  throw new DefinitionError('stage', `must be one of ${STAGES.join(', ')}`)
}

/** Parses the fields of a body. Fields that it does not contain keep their previous value. */
const parseFields = (body: JsonObject, before: EarlyAccessFields): EarlyAccessFields => {
  const fields = {
    name: parseText(body, 'name', before.name),
    description: parseText(body, 'description', before.description),
    stage: parseStage(body, before.stage),
    documentationUrl: parseText(body, 'documentation_url', before.documentationUrl),
    payload: body['payload'] ?? before.payload,
  }
  const { name, documentationUrl, payload } = fields
  parseString(name, 'name', MAX_NAME_LENGTH)
  checkUrl(documentationUrl, 'documentation_url', ['http', 'https'])
  checkNesting(payload, 'payload')
  const isSmall = isRecord(payload) && JSON.stringify(payload).length <= MAX_TEXT_LENGTH
  checkThat(isSmall, 'payload', `must be an object of at most ${MAX_TEXT_LENGTH} characters of JSON`)
  return { ...fields, payload: payload as JsonObject }
}

const DEFAULT_FIELDS: EarlyAccessFields = {
  name: '',
  description: '',
  stage: 'draft',
  documentationUrl: '',
  payload: {},
}

/** Derives a flag key from a name: its letters and digits, with a dash in place of everything else. */
const toFlagKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

const withEnrollment = (flag: NewFlag, feature_enrollment: true | undefined): NewFlag => ({
  ...flag,
  filters: { ...flag.filters, feature_enrollment },
})

const toFeatureBody = (feature: EarlyAccessFeature): object => ({
  id: feature.id,
  name: feature.name,
  description: feature.description,
  stage: feature.stage,
  documentation_url: feature.documentationUrl,
  payload: feature.payload,
  feature_flag_id: feature.flagId,
  version: feature.version,
  created_at: toIsoTime(feature.createdAt),
})

const getFeature = async (metadata: Metadata, projectId: number, id: string): Promise<EarlyAccessFeature> => {
  const feature = await findEarlyAccessFeature(metadata, projectId, id.toLowerCase())
  if (feature) return feature
  throw notFound(`This project has no early access feature with the id ${id}. GET the list to see all ids.`)
}

/** Returns the flag of a new feature: the one it names, or a new one that is off for everyone who has not enrolled. */
const resolveFlag = async (
  transaction: Metadata,
  projectId: number,
  { name, flagId }: { readonly name: string; readonly flagId: Json | undefined },
): Promise<NewFlag> => {
  if (flagId !== undefined && flagId !== null) {
    const linked = await getLinkedFlag(transaction, projectId, flagId, 'feature_flag_id')
    const features = await listEarlyAccessFeatures(transaction, projectId)
    const otherFeature = features.find(({ flagId: id }) => id === linked.id)
    checkThat(
      !otherFeature,
      'feature_flag_id',
      `is already used by the early access feature "${otherFeature?.name}"; choose another flag`,
    )
    return linked.definition
  }
  const key = toFlagKey(name)
  checkThat(
    key !== '',
    'name',
    'must contain a letter or a digit to derive a flag key from; otherwise set "feature_flag_id"',
  )
  const existing = await findFlag(transaction, projectId, key)
  checkThat(
    !existing,
    'name',
    `would create a second flag "${key}"; send "feature_flag_id": ${existing?.id} to use the existing flag`,
  )
  return { key, name, active: true, filters: { groups: [] } }
}

/** Changes the flag of a feature. The API key must have the scope to write flags. */
const saveFlag = async (
  transaction: Metadata,
  projectId: number,
  change: DefinitionChange,
  { now, requireScope }: { readonly now: number; readonly requireScope: RequireScope },
): Promise<void> => {
  requireScope('feature_flag:write')
  await saveDefinitions(transaction, projectId, change, now)
}

const SENT = { noun: 'an early access feature', shape: EARLY_ACCESS_SHAPE, isKept: false } as const

/** Early access features: each uses one flag, in which people enrol. */
export const createEarlyAccessFeatures = (context: ManagementContext): Resource => {
  const { metadata, now } = context
  return {
    path: 'early_access_feature',
    scope: 'early_access_feature',
    description: {
      noun: 'early access feature',
      id: 'Id of the feature.',
      item: EarlyAccessFeatureSchema,
      create: EarlyAccessFeatureInput,
      change: EarlyAccessFeatureChange,
    },
    list: async (projectId, page) => {
      const { count, items } = await listEarlyAccessFeaturesPage(metadata, projectId, page)
      return { count, items: items.map(toFeatureBody) }
    },
    items: {
      read: async (projectId, id) => toFeatureBody(await getFeature(metadata, projectId, id)),
      create: (request, body) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId, requireScope } = request
          const warnings = checkSentBody(body, SENT)
          const fields = parseFields(body, DEFAULT_FIELDS)
          const createdAt = now()
          const input = { name: fields.name, flagId: body['feature_flag_id'] }
          const flag = await resolveFlag(transaction, projectId, input)
          const { key } = flag
          const setsEnrolment = flag.filters.feature_enrollment !== true
          const change = { flags: [withEnrollment(flag, true)], feature: { flagKey: key, name: fields.name } }
          if (setsEnrolment) await saveFlag(transaction, projectId, change, { now: createdAt, requireScope })
          const { id: flagId } = (await findFlag(transaction, projectId, key))!
          const id = randomUUID()
          await saveEarlyAccessFeature(transaction, projectId, { ...fields, id, flagId, setsEnrolment, createdAt })
          return withWarnings(toFeatureBody(await getFeature(transaction, projectId, id)), warnings)
        }),
      update: (request, id, body) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId } = request
          const before = await getFeature(transaction, projectId, id)
          checkVersion(before, body)
          const warnings = checkSentBody(body, SENT)
          const flagId = body['feature_flag_id'] ?? before.flagId
          checkThat(
            flagId === before.flagId,
            'feature_flag_id',
            `is ${before.flagId} and cannot be changed; create another feature instead`,
          )
          const after = { ...before, ...parseFields(body, before) }
          if (!isDeepStrictEqual(after, before)) await saveEarlyAccessFeature(transaction, projectId, after)
          return withWarnings(toFeatureBody(await getFeature(transaction, projectId, id)), warnings)
        }),
      remove: (request, id) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId, requireScope } = request
          const feature = await getFeature(transaction, projectId, id)
          await removeEarlyAccessFeature(transaction, feature.id)
          if (!feature.setsEnrolment) return
          // A stored feature always has its flag.
          const { definition } = (await findFlag(transaction, projectId, feature.flagId))!
          const change = { flags: [withEnrollment(definition, undefined)] }
          await saveFlag(transaction, projectId, change, { now: now(), requireScope })
        }),
    },
  }
}
