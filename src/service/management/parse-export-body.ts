import type { Static } from 'typebox'
import type { Json, JsonObject } from '../../wire/json.ts'
import { EXPORT_FORMATS } from '../export/export-format.ts'
import { createFilename } from '../export/export-filename.ts'
import { badRequest } from '../http-error.ts'
import { deriveInsightName } from '../insight/derive-name.ts'
import type { RequireScope } from './resource.ts'
import { findDashboard } from '../store/metadata/dashboards.ts'
import type { ExportFields } from '../store/metadata/exports.ts'
import { findInsight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { checkQuery, checkQuerySize } from './create-query-work.ts'
import { parseExportPath } from './parse-export-path.ts'
import { parseQuery } from './parse-query-body.ts'
import type { ExportInput } from './schema/export.ts'

type Body = Static<typeof ExportInput>

const DAY_MS = 86_400_000

/** What is exported, with the scope that reads it, and its name. */
interface Subject extends Pick<ExportFields, 'dashboardId' | 'insightId' | 'context'> {
  readonly scope: 'dashboard:read' | 'insight:read' | 'query:read'
  readonly title: string | null
}

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
  { requireScope, now }: { readonly requireScope: RequireScope; readonly now: number },
): Promise<ExportFields> => {
  // The schema has checked it.
  const format = EXPORT_FORMATS.get(body.export_format)!
  const { scope, title, ...subject } = await findSubject(metadata, projectId, body)
  requireScope(scope)
  return {
    ...subject,
    format: format.mediaType,
    filename: createFilename(body.export_context?.filename ?? null, title, format),
    expiresAt: parseExpiry(body, now) ?? now + format.keepDays * DAY_MS,
  }
}

const findSubject = async (metadata: Metadata, projectId: number, body: Body): Promise<Subject> => {
  const { dashboard: dashboardId = null, insight: insightId = null } = body
  const context = (body.export_context ?? {}) as JsonObject
  const hasQuery = (context['source'] ?? context['path'] ?? null) !== null
  if ([dashboardId !== null, insightId !== null, hasQuery].filter(Boolean).length !== 1)
    throw badRequest(
      'invalid_input',
      'An export is of one thing: a "dashboard", an "insight", or a query as "export_context.source".',
    )
  if (dashboardId !== null) {
    const dashboard = await findDashboard(metadata, projectId, dashboardId)
    if (dashboard === undefined || dashboard.deleted) throw unknownError('dashboard', dashboardId)
    return { dashboardId, insightId, context, scope: 'dashboard:read', title: dashboard.name }
  }
  if (insightId !== null) {
    const insight = await findInsight(metadata, projectId, insightId)
    if (insight === undefined || insight.deleted) throw unknownError('insight', insightId)
    if (insight.query === null) throw badRequest('invalid_input', 'The insight has no query to export.', 'insight')
    const title = insight.name || insight.derivedName || deriveInsightName(insight.query)
    return { dashboardId, insightId, context, scope: 'insight:read', title }
  }
  const source = await parseSource(context, projectId)
  return {
    dashboardId,
    insightId,
    context: { ...context, source },
    scope: 'query:read',
    title: deriveInsightName(source),
  }
}

const unknownError = (field: 'dashboard' | 'insight', id: number) =>
  badRequest('invalid_input', `"${field}" is ${id}, which is no ${field} of this project.`, field)

const parseSource = async (
  { source = null, path = null, method, body }: JsonObject,
  projectId: number,
): Promise<JsonObject> => {
  const request = { path: toText(path), method: toText(method) || 'GET', body: (body ?? {}) as JsonObject }
  const input = source ?? parseExportPath(request, projectId)
  const query = (typeof input === 'string' ? { kind: 'HogQLQuery', query: input } : input) as JsonObject
  checkQuerySize(query)
  await checkQuery(parseQuery(query))
  return query
}

const toText = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const parseExpiry = ({ expires_after: text = null }: Body, now: number): number | null => {
  if (text === null) return null
  const time = Date.parse(text)
  if (time > now) return time
  throw badRequest('invalid_date', '"expires_after" must be a time in the future.', 'expires_after')
}
