import type { Static } from 'typebox'
import { toIsoTime } from '../to-iso-time.ts'
import type { Export } from '../store/metadata/exports.ts'
import type { ExportSchema } from './schema/export.ts'

/** An export in the form of the management API. */
export const toExportBody = (item: Export): Static<typeof ExportSchema> => ({
  id: item.id,
  dashboard: item.dashboardId,
  insight: item.insightId,
  export_format: item.format,
  export_context: { ...item.context },
  created_at: toIsoTime(item.createdAt),
  has_content: item.state === 'done',
  filename: item.filename,
  expires_after: toIsoTime(item.expiresAt),
  exception: item.error,
})
