import type { JsonObject } from '../../../wire/json.ts'
import type { Author, Authorship } from './author.ts'
import { AUTHORSHIP_COLUMNS, toChangedAuthorship, toNewAuthorship } from './author.ts'
import { containsText } from './contains-text.ts'
import type { Metadata } from './open.ts'
import type { Page, PageOf } from './stored-definition.ts'

/** `duplicate`: a copy of another dashboard. */
export const CREATION_MODES = ['default', 'duplicate'] as const
export type CreationMode = (typeof CREATION_MODES)[number]

/** The fields of a dashboard that clients set. */
export interface DashboardFields {
  readonly name: string
  readonly description: string
  readonly pinned: boolean
  readonly tags: readonly string[]
  /** Dates and property filters for all its insights, as the client sent them. */
  readonly filters: JsonObject
  /** A deleted dashboard is kept, but not listed. */
  readonly deleted: boolean
}

/** A page of insights and texts. */
export interface Dashboard extends DashboardFields, Authorship {
  readonly creationMode: CreationMode
  /** When it was read last. Milliseconds since 1970; null for never. */
  readonly lastViewedAt: number | null
}

/** Selects a list of dashboards. */
export interface DashboardSelection {
  readonly pinned?: boolean | undefined
  /** Part of the name or the description, in any case (of ASCII letters). */
  readonly search?: string | undefined
}

const COLUMNS = [
  ...AUTHORSHIP_COLUMNS,
  'name',
  'description',
  'pinned',
  'tags',
  'filters',
  'creation_mode as creationMode',
  'deleted',
  'last_viewed_at as lastViewedAt',
] as const

interface DashboardRow extends Omit<Dashboard, 'pinned' | 'tags' | 'filters' | 'creationMode' | 'deleted'> {
  readonly pinned: number
  readonly tags: string
  readonly filters: string
  readonly creationMode: string
  readonly deleted: number
}

const parseRow = (row: DashboardRow): Dashboard => ({
  ...row,
  pinned: row.pinned === 1,
  tags: JSON.parse(row.tags),
  filters: JSON.parse(row.filters),
  creationMode: row.creationMode as CreationMode,
  deleted: row.deleted === 1,
})

const toColumns = ({ name, description, pinned, tags, filters, deleted }: DashboardFields) => ({
  name,
  description,
  pinned: pinned ? 1 : 0,
  tags: JSON.stringify(tags),
  filters: JSON.stringify(filters),
  deleted: deleted ? 1 : 0,
})

const selectDashboards = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('dashboards').where('project_id', '=', projectId)

/** One page of the dashboards of a project that match a selection, without deleted ones: pinned ones first, then by name. */
export const listDashboardsPage = async (
  metadata: Metadata,
  projectId: number,
  { pinned, search }: DashboardSelection,
  { limit, offset }: Page,
): Promise<PageOf<Dashboard>> => {
  let dashboards = selectDashboards(metadata, projectId).where('deleted', '=', 0)
  if (pinned !== undefined) dashboards = dashboards.where('pinned', '=', pinned ? 1 : 0)
  if (search !== undefined) dashboards = dashboards.where((row) => containsText(row, ['name', 'description'], search))
  const { count } = await dashboards.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const rows = dashboards.select(COLUMNS).orderBy('pinned', 'desc').orderBy('name').orderBy('id')
  return { count: Number(count), items: (await rows.limit(limit).offset(offset).execute()).map(parseRow) }
}

/** A dashboard, even if it is deleted. */
export const findDashboard = async (
  metadata: Metadata,
  projectId: number,
  id: number,
): Promise<Dashboard | undefined> => {
  const row = await selectDashboards(metadata, projectId).where('id', '=', id).select(COLUMNS).executeTakeFirst()
  return row && parseRow(row)
}

export const createDashboard = async (
  metadata: Metadata,
  projectId: number,
  { creationMode, ...fields }: DashboardFields & { readonly creationMode: CreationMode },
  author: Author,
): Promise<Dashboard> => {
  const row = await metadata
    .insertInto('dashboards')
    .values({ project_id: projectId, creation_mode: creationMode, ...toColumns(fields), ...toNewAuthorship(author) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}

/** Replaces the fields of a dashboard. Call it inside a transaction. */
export const updateDashboard = async (
  transaction: Metadata,
  id: number,
  fields: DashboardFields,
  author: Author,
): Promise<Dashboard> => {
  const row = await transaction
    .updateTable('dashboards')
    .set({ ...toColumns(fields), ...toChangedAuthorship(author) })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}

/** Notes that a dashboard was read. @param now Milliseconds since 1970. */
export const noteDashboardView = async (metadata: Metadata, id: number, now: number): Promise<void> => {
  await metadata.updateTable('dashboards').set({ last_viewed_at: now }).where('id', '=', id).execute()
}
