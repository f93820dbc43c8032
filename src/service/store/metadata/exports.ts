import type { JsonObject } from '../../../wire/json.ts'
import type { Author } from './saved-items.ts'
import type { NodeMetadata } from './node-id.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'

export type ExportState = 'waiting' | 'running' | 'done' | 'failed'

/** What is exported, and how. */
export interface ExportFields {
  /** The dashboard that is exported; null for another thing. */
  readonly dashboardId: number | null
  /** The insight that is exported; null for another thing. */
  readonly insightId: number | null
  /** Media type. */
  readonly format: string
  /** The query, if one is exported, as `source`, and the options. */
  readonly context: JsonObject
  readonly filename: string
  /** The export is removed at this time. Milliseconds since 1970. */
  readonly expiresAt: number
}

/** An export: a job, and later the content that it has made. */
export interface Export extends ExportFields {
  readonly id: number
  readonly projectId: number
  readonly state: ExportState
  /** How often the job was started. */
  readonly attempts: number
  /** Why the job has failed; null otherwise. */
  readonly error: string | null
  /** Null without a content. */
  readonly contentBytes: number | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

const COLUMNS = [
  'id',
  'project_id as projectId',
  'dashboard_id as dashboardId',
  'insight_id as insightId',
  'format',
  'context',
  'filename',
  'state',
  'attempts',
  'error',
  'content_bytes as contentBytes',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

interface ExportRow extends Omit<Export, 'context' | 'state'> {
  readonly context: string
  readonly state: string
}

const parseRow = (row: ExportRow): Export => ({
  ...row,
  context: JSON.parse(row.context),
  // Only this file writes the column.
  state: row.state as ExportState,
})

/** One page of the exports of a project that have not expired, newest first. */
export const listExportsPage = (
  metadata: Metadata,
  projectId: number,
  now: number,
  page: Page,
): Promise<PageOf<Export>> => {
  const exports = metadata.selectFrom('exports').where('project_id', '=', projectId).where('expires_at', '>', now)
  return loadPage(exports.select(COLUMNS).orderBy('id', 'desc'), page, parseRow)
}

/** An export that has not expired. */
export const findExport = async (
  metadata: Metadata,
  projectId: number,
  id: number,
  now: number,
): Promise<Export | undefined> => {
  const row = await metadata
    .selectFrom('exports')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .select(COLUMNS)
    .executeTakeFirst()
  return row && parseRow(row)
}

/** How many exports of a project there are, and how many of their jobs have not ended. */
export const countExports = async (
  metadata: Metadata,
  projectId: number,
): Promise<{ readonly all: number; readonly open: number }> => {
  const rows = await metadata
    .selectFrom('exports')
    .where('project_id', '=', projectId)
    .select((row) => ['state', row.fn.countAll().as('count')])
    .groupBy('state')
    .execute()
  const sum = (chosen: typeof rows): number => chosen.reduce((total, { count }) => total + Number(count), 0)
  return { all: sum(rows), open: sum(rows.filter(({ state }) => state === 'waiting' || state === 'running')) }
}

/** Creates an export whose job waits for the node. */
export const createExport = async (
  { metadata, nodeId }: NodeMetadata,
  projectId: number,
  { dashboardId, insightId, format, context, filename, expiresAt }: ExportFields,
  { userId, now }: Author,
): Promise<Export> => {
  const row = await metadata
    .insertInto('exports')
    .values({
      project_id: projectId,
      node_id: nodeId,
      dashboard_id: dashboardId,
      insight_id: insightId,
      format,
      context: JSON.stringify(context),
      filename,
      state: 'waiting',
      attempts: 0,
      error: null,
      content_bytes: null,
      created_at: now,
      created_by: userId,
      expires_at: expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}

/** Removes an export; returns whether there was one. */
export const removeExport = async (metadata: Metadata, projectId: number, id: number): Promise<boolean> => {
  const { numDeletedRows } = await metadata
    .deleteFrom('exports')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes the exports that have expired. */
export const removeExpiredExports = async (metadata: Metadata, now: number): Promise<void> => {
  await metadata.deleteFrom('exports').where('expires_at', '<=', now).execute()
}

/** The export whose job is the node's next: the oldest of those that wait, without those of projects that have a running job. */
export const findWaitingExport = async (
  { metadata, nodeId }: NodeMetadata,
  runningProjects: readonly number[],
): Promise<Export | undefined> => {
  let waiting = metadata.selectFrom('exports').where('node_id', '=', nodeId).where('state', '=', 'waiting')
  if (runningProjects.length > 0) waiting = waiting.where('project_id', 'not in', runningProjects)
  const row = await waiting.select(COLUMNS).orderBy('id').limit(1).executeTakeFirst()
  return row && parseRow(row)
}

/** Notes the start of a job. Returns false for an export that was removed, and for one whose job does not wait for the node. */
export const startExport = async ({ metadata, nodeId }: NodeMetadata, { id, attempts }: Export): Promise<boolean> => {
  const { numUpdatedRows } = await metadata
    .updateTable('exports')
    .set({ state: 'running', attempts: attempts + 1 })
    .where('id', '=', id)
    .where('node_id', '=', nodeId)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes a job wait again that was interrupted; the attempt does not count. */
export const putBackExport = async (metadata: Metadata, { id, attempts }: Export): Promise<void> => {
  await metadata.updateTable('exports').set({ state: 'waiting', attempts }).where('id', '=', id).execute()
}

/** Notes the end of a job: the size of its content, or why it has failed. Returns false for an export that was removed. */
export const endExport = async (
  metadata: Metadata,
  id: number,
  end: { readonly contentBytes: number } | { readonly error: string },
): Promise<boolean> => {
  const columns =
    'error' in end
      ? { state: 'failed', error: end.error }
      : { state: 'done', error: null, content_bytes: end.contentBytes }
  const { numUpdatedRows } = await metadata.updateTable('exports').set(columns).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes the jobs of a node wait again that ran when its process ended. */
export const resumeExports = async ({ metadata, nodeId }: NodeMetadata): Promise<void> => {
  await metadata
    .updateTable('exports')
    .set({ state: 'waiting' })
    .where('node_id', '=', nodeId)
    .where('state', '=', 'running')
    .execute()
}

/** The ids of the exports whose contents a node has, of all projects. */
export const listContentIds = async ({ metadata, nodeId }: NodeMetadata): Promise<ReadonlySet<number>> => {
  const exports = metadata.selectFrom('exports').where('node_id', '=', nodeId).where('state', '=', 'done')
  const rows = await exports.select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/** Makes jobs of a node wait again whose contents were lost. */
export const remakeExports = async ({ metadata, nodeId }: NodeMetadata, ids: readonly number[]): Promise<void> => {
  for (const id of ids)
    await metadata
      .updateTable('exports')
      .set({ state: 'waiting', attempts: 0, content_bytes: null })
      .where('id', '=', id)
      .where('node_id', '=', nodeId)
      .execute()
}

/** The ids of all exports, of all projects and nodes. */
export const listKnownIds = async (metadata: Metadata): Promise<ReadonlySet<number>> => {
  const rows = await metadata.selectFrom('exports').select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/** The bytes of all contents of a node together: of one project, or of all. */
export const sumContentBytes = async (
  { metadata, nodeId }: NodeMetadata,
  projectId: number | null = null,
): Promise<number> => {
  const { bytes } = await metadata
    .selectFrom('exports')
    .where('node_id', '=', nodeId)
    .select((row) => row.fn.sum('content_bytes').as('bytes'))
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
