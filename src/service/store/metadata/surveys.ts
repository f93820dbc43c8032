import type { JsonObject } from '../../../wire/json.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { parseDefinitionRow } from './stored-definition.ts'
import type { StoredDefinition } from './stored-definition.ts'

/** A survey before the store assigns its id and version. */
export interface NewSurvey {
  readonly name: string
  readonly description?: string | null
  readonly type: 'popover' | 'api' | 'widget' | 'external_survey'
  /** Each question has its own `id`. */
  readonly questions: readonly JsonObject[]
  readonly conditions?: JsonObject | null
  readonly appearance?: JsonObject | null
  /** ISO 8601; absent or null for a draft. */
  readonly start_date?: string | null
  /** ISO 8601; absent or null for an open end. */
  readonly end_date?: string | null
  /** True for an archived survey, which is no longer served. */
  readonly archived: boolean
  /** The survey is shown only to users for whom each of these flags is enabled. */
  readonly linked_flag_id?: number | null
  readonly targeting_flag_id?: number | null
  readonly internal_targeting_flag_id?: number | null
  readonly schedule?: 'once' | 'recurring' | 'always' | null
  /** Number of repetitions of a recurring survey. */
  readonly iteration_count?: number | null
  /** Days between repetitions. */
  readonly iteration_frequency_days?: number | null
  readonly enable_partial_responses?: boolean | null
  readonly translations?: JsonObject | null
}

export type StoredSurvey = StoredDefinition<NewSurvey, string>

/** The fields of a survey that contain flag ids. */
export const FLAG_FIELDS = ['linked_flag_id', 'targeting_flag_id', 'internal_targeting_flag_id'] as const

const selectSurveys = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('surveys').where('project_id', '=', projectId)

const orderSurveys = (metadata: Metadata, projectId: number) =>
  selectSurveys(metadata, projectId).selectAll().orderBy('created_at').orderBy('id')

/** All surveys of a project, oldest first, including archived ones. */
export const listSurveys = async (metadata: Metadata, projectId: number): Promise<StoredSurvey[]> => {
  const rows = await orderSurveys(metadata, projectId).execute()
  return rows.map((row) => parseDefinitionRow(row))
}

/** One page of `listSurveys`. */
export const listSurveysPage = (metadata: Metadata, projectId: number, page: Page): Promise<PageOf<StoredSurvey>> =>
  loadPage(orderSurveys(metadata, projectId), page, (row) => parseDefinitionRow(row))

export const findSurvey = async (
  metadata: Metadata,
  projectId: number,
  id: string,
): Promise<StoredSurvey | undefined> => {
  const row = await selectSurveys(metadata, projectId).where('id', '=', id).selectAll().executeTakeFirst()
  return row && parseDefinitionRow(row)
}

/** Creates or replaces a survey; an unchanged survey keeps its version. Call it inside a transaction. */
export const saveSurvey = async (
  transaction: Metadata,
  projectId: number,
  id: string,
  survey: NewSurvey,
  now: number,
): Promise<void> => {
  const definition = JSON.stringify(survey)
  await transaction
    .insertInto('surveys')
    .values({ id, project_id: projectId, definition, version: 1, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((row) => ({ definition, version: row('surveys.version', '+', 1), updated_at: now }))
        .where('surveys.definition', '!=', definition),
    )
    .execute()
}

/** Deletes a survey. Call it inside a transaction. */
export const removeSurvey = async (transaction: Metadata, id: string): Promise<void> => {
  await transaction.deleteFrom('surveys').where('id', '=', id).execute()
}
