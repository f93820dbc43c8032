import type { Static } from 'typebox'
import type { Json, JsonObject } from '../../wire/json.ts'
import { EXPORT_FORMATS } from '../export/export-format.ts'
import { createFilename } from '../export/export-filename.ts'
import { nameInsight } from '../export/export-subject.ts'
import { badRequest } from '../http-error.ts'
import { deriveInsightName } from '../insight/derive-name.ts'
import type { RequireScope } from './resource.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import { findDashboard } from '../store/metadata/dashboards.ts'
import type { ExportFields } from '../store/metadata/exports.ts'
import { findInsight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { checkNewQuery } from './check-new-query.ts'
import { checkQuerySize } from './create-query-work.ts'
import { parseExportPath } from './parse-export-path.ts'
import type { ExportInput } from './schema/export.ts'

type Body = Static<typeof ExportInput>

const DAY_MS = 86_400_000

/** The latest `expires_after`. */
const MAX_KEEP_DAYS = 366

/** What is exported, and a name for it. */
interface Subject extends Pick<ExportFields, 'dashboardId' | 'insightId'> {
  /** The query that is exported; undefined for a dashboard or an insight. */
  readonly source?: JsonObject
  readonly title: string | null
}

const OPTIONS = ['filename', 'width', 'height', 'scale', 'theme', 'bom', 'raw'] as const

/**
 * The export that a body describes. Rejects with `HttpError`: 400 for an invalid body, 403 for a key that may not read what it
 * exports.
 *
 * @param now Milliseconds since 1970.
 */
export const parseExportBody = async (
  metadata: Metadata,
  projectId: number,
  body: Body,
  { now, ...check }: SubjectCheck & { readonly now: number },
): Promise<ExportFields> => {
  // The schema has checked it.
  const format = EXPORT_FORMATS.get(body.export_format)!
  const input = (body.export_context ?? {}) as JsonObject
  const { title, source, ...subject } = await findSubject(metadata, projectId, body, check)
  const options = OPTIONS.flatMap((name) => ((input[name] ?? null) === null ? [] : [[name, input[name]]]))
  return {
    ...subject,
    context: { ...(source !== undefined && { source }), ...Object.fromEntries(options) },
    format: format.mediaType,
    filename: createFilename(body.export_context?.filename ?? null, title, format),
    expiresAt: parseExpiry(body, now) ?? now + format.keepDays * DAY_MS,
  }
}

/** What the subject of an export is checked with. */
interface SubjectCheck {
  readonly requireScope: RequireScope
  /** That of the event stores. */
  readonly syntax: SqlSyntax
}

const findSubject = async (
  metadata: Metadata,
  projectId: number,
  body: Body,
  { requireScope, syntax }: SubjectCheck,
): Promise<Subject> => {
  const { dashboard: dashboardId = null, insight: insightId = null } = body
  const context = (body.export_context ?? {}) as JsonObject
  const hasQuery = (context['source'] ?? context['path'] ?? null) !== null
  if ([dashboardId !== null, insightId !== null, hasQuery].filter(Boolean).length !== 1)
    throw badRequest(
      'invalid_input',
      'An export is of one thing: a "dashboard", an "insight", or a query as "export_context.source".',
    )
  if (dashboardId !== null) {
    requireScope('dashboard:read')
    const dashboard = await findDashboard(metadata, projectId, dashboardId)
    if (dashboard === undefined || dashboard.deleted) throw unknownError('dashboard', dashboardId)
    return { dashboardId, insightId, title: dashboard.name }
  }
  if (insightId !== null) {
    requireScope('insight:read')
    const insight = await findInsight(metadata, projectId, insightId)
    if (insight === undefined || insight.deleted) throw unknownError('insight', insightId)
    if (insight.query === null) throw badRequest('invalid_input', 'The insight has no query to export.', 'insight')
    return { dashboardId, insightId, title: nameInsight(insight) }
  }
  requireScope('query:read')
  const source = await parseSource(context, projectId, syntax)
  return { dashboardId, insightId, source, title: deriveInsightName(source) }
}

const unknownError = (field: 'dashboard' | 'insight', id: number) =>
  badRequest('invalid_input', `"${field}" is ${id}, which is no ${field} of this project.`, field)

const parseSource = async (
  { source = null, path = null, method, body }: JsonObject,
  projectId: number,
  syntax: SqlSyntax,
): Promise<JsonObject> => {
  const request = { path: toText(path), method: toText(method) || 'GET', body: (body ?? {}) as JsonObject }
  const input = source ?? parseExportPath(request, projectId)
  const query = (typeof input === 'string' ? { kind: 'HogQLQuery', query: input } : input) as JsonObject
  checkQuerySize(query)
  await checkNewQuery(query, syntax)
  return query
}

const toText = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const parseExpiry = ({ expires_after: text = null }: Body, now: number): number | null => {
  if (text === null) return null
  const time = Date.parse(text)
  if (time > now && time <= now + MAX_KEEP_DAYS * DAY_MS) return time
  throw badRequest(
    'invalid_date',
    `"expires_after" must be a time in the future, within ${MAX_KEEP_DAYS} days.`,
    'expires_after',
  )
}
