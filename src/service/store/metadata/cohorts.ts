import type { CohortDefinition } from '../../../wire/definition.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { parseDefinitionRow } from './stored-definition.ts'
import type { StoredDefinition } from './stored-definition.ts'

/** A named set of conditions on persons that flags can refer to. */
export interface NewCohort {
  readonly name: string
  readonly description?: string | null
  /** True for a deleted cohort: it can be restored, and is neither listed nor served. */
  readonly deleted?: boolean
  readonly filters: { readonly properties: CohortDefinition }
}

export type StoredCohort = StoredDefinition<NewCohort>

const selectCohorts = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('cohorts').where('project_id', '=', projectId)

/** All cohorts of a project, ordered by id, including deleted ones. */
export const loadCohorts = async (metadata: Metadata, projectId: number): Promise<StoredCohort[]> =>
  (await selectCohorts(metadata, projectId).selectAll().orderBy('id').execute()).map((row) => parseDefinitionRow(row))

/** One page of the cohorts of a project, ordered by id, without deleted ones. */
export const listCohortsPage = (metadata: Metadata, projectId: number, page: Page): Promise<PageOf<StoredCohort>> => {
  const cohorts = selectCohorts(metadata, projectId).where('is_deleted', '=', 0).selectAll().orderBy('id')
  return loadPage(cohorts, page, (row) => parseDefinitionRow(row))
}

/** A cohort by its id, even if it is deleted. */
export const findCohort = async (
  metadata: Metadata,
  projectId: number,
  id: number,
): Promise<StoredCohort | undefined> => {
  const row = await selectCohorts(metadata, projectId).where('id', '=', id).selectAll().executeTakeFirst()
  return row && parseDefinitionRow(row)
}

/** Creates or replaces a cohort; an unchanged cohort keeps its version. Call it inside a transaction. */
export const saveCohort = async (
  transaction: Metadata,
  projectId: number,
  id: number,
  cohort: NewCohort,
  now: number,
): Promise<void> => {
  const definition = JSON.stringify(cohort)
  const is_deleted = cohort.deleted ? 1 : 0
  await transaction
    .insertInto('cohorts')
    .values({ project_id: projectId, id, definition, is_deleted, version: 1, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'id'])
        .doUpdateSet((row) => ({ definition, is_deleted, version: row('cohorts.version', '+', 1), updated_at: now }))
        .where('cohorts.definition', '!=', definition),
    )
    .execute()
}

/** Deletes a cohort's row. Call it inside a transaction. */
export const removeCohort = async (transaction: Metadata, projectId: number, id: number): Promise<void> => {
  await transaction.deleteFrom('cohorts').where('project_id', '=', projectId).where('id', '=', id).execute()
}
