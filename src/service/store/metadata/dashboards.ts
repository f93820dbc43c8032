import type { JsonObject } from '../../../wire/json.ts'
import { containsText } from './contains-text.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { pickDefined } from './pick-defined.ts'
import { createSavedItems, SAVED_COLUMNS } from './saved-items.ts'
import type { Author, SavedItem } from './saved-items.ts'

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
export interface Dashboard extends DashboardFields, SavedItem {
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
  ...SAVED_COLUMNS,
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

const dashboards = createSavedItems({ table: 'dashboards', columns: COLUMNS, parseRow })

/** One page of the dashboards of a project that match a selection, without deleted ones: pinned ones first, then by name. */
export const listDashboardsPage = (
  metadata: Metadata,
  projectId: number,
  { pinned, search }: DashboardSelection,
  page: Page,
): Promise<PageOf<Dashboard>> => {
  const values = pickDefined({ pinned: pinned === undefined ? undefined : Number(pinned) })
  let rows = metadata.selectFrom('dashboards').where((row) => row.and({ project_id: projectId, deleted: 0, ...values }))
  if (search !== undefined) rows = rows.where((row) => containsText(metadata, row, ['name', 'description'], search))
  return loadPage(rows.select(COLUMNS).orderBy('pinned', 'desc').orderBy('name').orderBy('id'), page, parseRow)
}

/** A dashboard, even if it is deleted. */
export const findDashboard = (metadata: Metadata, projectId: number, id: number): Promise<Dashboard | undefined> =>
  dashboards.find(metadata, projectId, 'id', id)

export const createDashboard = (
  metadata: Metadata,
  projectId: number,
  { creationMode, ...fields }: DashboardFields & { readonly creationMode: CreationMode },
  author: Author,
): Promise<Dashboard> =>
  dashboards.create(metadata, { ...toColumns(fields), project_id: projectId, creation_mode: creationMode }, author)

/** Replaces the fields of a dashboard. Call it inside a transaction. */
export const updateDashboard = (
  transaction: Metadata,
  id: number,
  fields: DashboardFields,
  author: Author,
): Promise<Dashboard> => dashboards.update(transaction, id, toColumns(fields), author)

/** Notes that a dashboard was read. @param now Milliseconds since 1970. */
export const noteDashboardView = async (metadata: Metadata, id: number, now: number): Promise<void> => {
  await metadata.updateTable('dashboards').set({ last_viewed_at: now }).where('id', '=', id).execute()
}
