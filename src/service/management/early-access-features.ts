import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { checkAddress, checkNesting, must, noteAt, textAt } from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import type { DefinitionChange } from '../flags/definitions/save-definitions.ts'
import { notFound } from '../refusal.ts'
import {
  findEarlyAccessFeature,
  listEarlyAccessFeatures,
  pageOfEarlyAccessFeatures,
  removeEarlyAccessFeature,
  saveEarlyAccessFeature,
  STAGES,
} from '../store/metadata/early-access-features.ts'
import type { EarlyAccessFeature, EarlyAccessFields, Stage } from '../store/metadata/early-access-features.ts'
import { findFlag } from '../store/metadata/flags.ts'
import type { NewFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion } from './change.ts'
import type { ManagementParts } from './change.ts'
import { linkedFlag } from './linked-flag.ts'
import type { RequireScope, Resource } from './resource.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 200
/** Longest description, address and payload (as JSON), in characters: pages get them all. */
const MAX_TEXT_LENGTH = 10_000

const textIn = (body: JsonObject, attr: string, otherwise: string): string =>
  body[attr] === undefined ? otherwise : noteAt(body[attr], attr, MAX_TEXT_LENGTH)

const stageIn = (body: JsonObject, otherwise: Stage): Stage => {
  const stage = body['stage'] === undefined ? otherwise : STAGES.find((known) => known === body['stage'])
  if (stage) return stage
  throw new DefinitionError('stage', `must be one of ${STAGES.join(', ')}`)
}

/** What a body says of a feature; what it does not say stays as it was. */
const fieldsIn = (body: JsonObject, before: EarlyAccessFields): EarlyAccessFields => {
  const fields = {
    name: textIn(body, 'name', before.name),
    description: textIn(body, 'description', before.description),
    stage: stageIn(body, before.stage),
    documentationUrl: textIn(body, 'documentation_url', before.documentationUrl),
    payload: body['payload'] ?? before.payload,
  }
  const { name, documentationUrl, payload } = fields
  textAt(name, 'name', MAX_NAME_LENGTH)
  checkAddress(documentationUrl, 'documentation_url', ['http', 'https'])
  checkNesting(payload, 'payload')
  const isSmall = isRecord(payload) && JSON.stringify(payload).length <= MAX_TEXT_LENGTH
  must(isSmall, 'payload', `must be an object of at most ${MAX_TEXT_LENGTH} characters of JSON`)
  return { ...fields, payload: payload as JsonObject }
}

const NOTHING: EarlyAccessFields = { name: '', description: '', stage: 'draft', documentationUrl: '', payload: {} }

/** A flag key made of a name: its letters and digits, with dashes between them. */
const flagKeyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

const withEnrollment = (flag: NewFlag, feature_enrollment: true | undefined): NewFlag => ({
  ...flag,
  filters: { ...flag.filters, feature_enrollment },
})

const featureBody = (feature: EarlyAccessFeature): object => ({
  id: feature.id,
  name: feature.name,
  description: feature.description,
  stage: feature.stage,
  documentation_url: feature.documentationUrl,
  payload: feature.payload,
  feature_flag_id: feature.flagId,
  version: feature.version,
  created_at: new Date(feature.createdAt).toISOString(),
})

const existingFeature = async (metadata: Metadata, projectId: number, id: string): Promise<EarlyAccessFeature> => {
  const feature = await findEarlyAccessFeature(metadata, projectId, id.toLowerCase())
  if (feature) return feature
  throw notFound(`There is no early access feature ${id} in this project.`)
}

/** The flag that a new feature stands on: the one it names, or one made from its name that is off for all who do not enrol. */
const flagFor = async (
  transaction: Metadata,
  projectId: number,
  { name, flagId }: { readonly name: string; readonly flagId: Json | undefined },
): Promise<NewFlag> => {
  if (flagId !== undefined && flagId !== null) {
    const found = await linkedFlag(transaction, projectId, flagId, 'feature_flag_id')
    const features = await listEarlyAccessFeatures(transaction, projectId)
    const other = features.find((each) => each.flagId === found.id)
    must(!other, 'feature_flag_id', `has the early access feature "${other?.name}" already`)
    return found.given
  }
  const key = flagKeyOf(name)
  must(key !== '', 'name', 'must have a letter or a digit, or "feature_flag_id" must name a flag')
  const taken = await findFlag(transaction, projectId, key)
  must(!taken, 'name', `would make a second flag "${key}"; "feature_flag_id": ${taken?.id} takes the one there is`)
  return { key, name, active: true, filters: { groups: [] } }
}

/** Changes the flag of a feature, which takes the right to write flags. */
const saveFlag = async (
  transaction: Metadata,
  projectId: number,
  change: DefinitionChange,
  { now, demand }: { readonly now: number; readonly demand: RequireScope },
): Promise<void> => {
  demand('feature_flag:write')
  await saveDefinitions(transaction, projectId, change, now)
}

/** Early access features: each stands on one flag that people enrol in. */
export const createEarlyAccessFeatures = (parts: ManagementParts): Resource => {
  const { metadata, now } = parts
  return {
    path: 'early_access_feature',
    scope: 'early_access_feature',
    list: async (projectId, page) => {
      const { count, items } = await pageOfEarlyAccessFeatures(metadata, projectId, page)
      return { count, items: items.map(featureBody) }
    },
    items: {
      read: async (projectId, id) => featureBody(await existingFeature(metadata, projectId, id)),
      create: (projectId, body, demand) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const fields = fieldsIn(body, NOTHING)
          const at = now()
          const asked = { name: fields.name, flagId: body['feature_flag_id'] }
          const flag = await flagFor(transaction, projectId, asked)
          const { key } = flag
          const setsEnrolment = flag.filters.feature_enrollment !== true
          const change = { flags: [withEnrollment(flag, true)], feature: { flagKey: key, name: fields.name } }
          if (setsEnrolment) await saveFlag(transaction, projectId, change, { now: at, demand })
          const { id: flagId } = (await findFlag(transaction, projectId, key))!
          const id = randomUUID()
          await saveEarlyAccessFeature(transaction, projectId, { ...fields, id, flagId, setsEnrolment, createdAt: at })
          return featureBody(await existingFeature(transaction, projectId, id))
        }),
      update: (projectId, id, body) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const before = await existingFeature(transaction, projectId, id)
          checkVersion(before, body)
          const flagId = body['feature_flag_id'] ?? before.flagId
          must(flagId === before.flagId, 'feature_flag_id', `is ${before.flagId} and cannot be changed`)
          const after = { ...before, ...fieldsIn(body, before) }
          if (!isDeepStrictEqual(after, before)) await saveEarlyAccessFeature(transaction, projectId, after)
          return featureBody(await existingFeature(transaction, projectId, id))
        }),
      remove: (projectId, id, demand) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const feature = await existingFeature(transaction, projectId, id)
          await removeEarlyAccessFeature(transaction, feature.id)
          if (!feature.setsEnrolment) return
          // The store holds no feature without its flag.
          const { given } = (await findFlag(transaction, projectId, feature.flagId))!
          const change = { flags: [withEnrollment(given, undefined)] }
          await saveFlag(transaction, projectId, change, { now: now(), demand })
        }),
    },
  }
}
