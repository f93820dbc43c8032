import type { JsonObject } from '../../../wire/json.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'

/** The stages of a feature. Drafts and archived features are hidden from users. */
export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const
export type Stage = (typeof STAGES)[number]

/** A feature that users can try before its release, by enrolling in its flag. */
export interface EarlyAccessFeature {
  /** A uuid. */
  readonly id: string
  readonly flagId: number
  readonly flagKey: string
  readonly name: string
  readonly description: string
  readonly stage: Stage
  /** Empty if there is none. */
  readonly documentationUrl: string
  readonly payload: JsonObject
  /** True if the feature added the enrolment condition to its flag; the condition is removed with the feature. */
  readonly setsEnrolment: boolean
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

const selectFeatures = (metadata: Metadata, projectId: number) =>
  metadata
    .selectFrom('early_access_features as feature')
    .innerJoin('flags as flag', 'flag.id', 'feature.flag_id')
    .where('feature.project_id', '=', projectId)

const COLUMNS = [
  'feature.id as id',
  'feature.flag_id as flagId',
  'flag.key as flagKey',
  'feature.name as name',
  'feature.description as description',
  'feature.stage as stage',
  'feature.documentation_url as documentationUrl',
  'feature.payload as payload',
  'feature.sets_enrolment as setsEnrolment',
  'feature.version as version',
  'feature.created_at as createdAt',
] as const

interface FeatureRow extends Omit<EarlyAccessFeature, 'stage' | 'payload' | 'setsEnrolment'> {
  readonly stage: string
  readonly payload: string
  readonly setsEnrolment: number
}

const parseFeatureRow = (row: FeatureRow): EarlyAccessFeature => {
  const payload: JsonObject = JSON.parse(row.payload)
  // `saveEarlyAccessFeature`, the only writer of the column, accepts only stages.
  return { ...row, stage: row.stage as Stage, payload, setsEnrolment: row.setsEnrolment === 1 }
}

const orderFeatures = (metadata: Metadata, projectId: number) =>
  selectFeatures(metadata, projectId).select(COLUMNS).orderBy('createdAt').orderBy('id')

/** All early access features of a project, oldest first. */
export const listEarlyAccessFeatures = async (metadata: Metadata, projectId: number): Promise<EarlyAccessFeature[]> => {
  const rows = await orderFeatures(metadata, projectId).execute()
  return rows.map(parseFeatureRow)
}

/** One page of `listEarlyAccessFeatures`. */
export const listEarlyAccessFeaturesPage = (
  metadata: Metadata,
  projectId: number,
  page: Page,
): Promise<PageOf<EarlyAccessFeature>> => loadPage(orderFeatures(metadata, projectId), page, parseFeatureRow)

export const findEarlyAccessFeature = async (
  metadata: Metadata,
  projectId: number,
  id: string,
): Promise<EarlyAccessFeature | undefined> => {
  const row = await selectFeatures(metadata, projectId).where('feature.id', '=', id).select(COLUMNS).executeTakeFirst()
  return row && parseFeatureRow(row)
}

/** The fields of a feature that can be changed. */
export type EarlyAccessFields = Pick<
  EarlyAccessFeature,
  'name' | 'description' | 'stage' | 'documentationUrl' | 'payload'
>

/** Creates a feature, or updates the fields of the stored feature with its id. Call it inside a transaction. */
export const saveEarlyAccessFeature = async (
  transaction: Metadata,
  projectId: number,
  feature: Omit<EarlyAccessFeature, 'flagKey' | 'version'>,
): Promise<void> => {
  const fields = {
    name: feature.name,
    description: feature.description,
    stage: feature.stage,
    documentation_url: feature.documentationUrl,
    payload: JSON.stringify(feature.payload),
  }
  await transaction
    .insertInto('early_access_features')
    .values({
      id: feature.id,
      project_id: projectId,
      flag_id: feature.flagId,
      sets_enrolment: feature.setsEnrolment ? 1 : 0,
      version: 1,
      created_at: feature.createdAt,
      ...fields,
    })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((row) => ({ ...fields, version: row('early_access_features.version', '+', 1) })),
    )
    .execute()
}

/** Deletes a feature. Call it inside a transaction. */
export const removeEarlyAccessFeature = async (transaction: Metadata, id: string): Promise<void> => {
  await transaction.deleteFrom('early_access_features').where('id', '=', id).execute()
}
