import type { Json } from '../../wire/json.ts'
import type { Content, ExportFormat, PictureFormat } from './export-format.ts'
import type { ExportSubject, QueryPart } from './export-subject.ts'
import type { CsvOptions } from './format/csv.ts'
import type { InsightPicture, PictureRequest, TilePicture } from './picture/picture.ts'
import { DEFAULT_PICTURE } from './picture/picture.ts'
import type { Renderer } from './picture/renderer.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { paceRows } from './table/pace-rows.ts'
import type { AskQuery } from './table/query-table.ts'
import { readQueryTable } from './table/query-table.ts'
import type { Table } from './table/table.ts'

/** What a content is made with. */
export interface ContentParts {
  /** Asks a query of the export's project; of SQL the first rows. */
  readonly ask: AskQuery
  /** The same with all rows of SQL. */
  readonly askForAll: AskQuery
  /** Why a query cannot be answered, in words for users; null for an error that is not the query's. */
  readonly explain: (error: unknown) => string | null
  readonly renderer: Pick<Renderer, 'render'>
  /** Ends the work when it is aborted. */
  readonly signal: AbortSignal
}

/** How a picture is drawn. */
type PictureOptions = Partial<Pick<PictureRequest, 'width' | 'height' | 'scale' | 'theme'>>

/** How a content is made. */
export type ContentOptions = PictureOptions & CsvOptions

/**
 * Makes the content of an export. On a dashboard, a query that cannot be answered shows its error in its place. A list whose rows
 * break off rejects, also there.
 */
export const createContent = (
  subject: ExportSubject,
  format: ExportFormat,
  { bom, raw, ...options }: ContentOptions,
  parts: ContentParts,
): Content =>
  format.kind === 'picture'
    ? draw(subject, format, options, parts)
    : format.write(readTables(subject, parts), { ...(bom && { bom }), ...(raw && { raw }) })

const readTables = async function* (
  subject: ExportSubject,
  { askForAll, explain }: ContentParts,
): AsyncGenerator<Table> {
  if (subject.kind === 'query') {
    yield pace(await readQueryTable(null, subject.query, askForAll))
    return
  }
  for (const part of subject.parts) {
    if (part.kind === 'text') continue
    const title = part.title ?? 'Query'
    yield pace(
      await orElse(readQueryTable(title, part.query, askForAll), explain, (error) => ({
        title,
        columns: ['error'],
        rows: [[error]],
      })),
    )
  }
}

const pace = (table: Table): Table => ({ ...table, rows: paceRows(table.rows) })

const draw = async function* (
  subject: ExportSubject,
  { mediaType }: PictureFormat,
  options: PictureOptions,
  { ask, explain, renderer, signal }: ContentParts,
): AsyncGenerator<Uint8Array> {
  const toInsight = async ({ title, query }: QueryPart): Promise<InsightPicture> => ({
    kind: 'insight',
    title,
    query: query as Json,
    answer: (await ask(query)) as Json,
  })
  const toTile = (part: QueryPart): Promise<TilePicture> =>
    orElse(toInsight(part), explain, (error) => ({ kind: 'insight', ...part, answer: null, error }))
  const tiles: TilePicture[] = []
  if (subject.kind === 'dashboard')
    // One after the other: a project runs few queries at once.
    for (const part of subject.parts) tiles.push(part.kind === 'text' ? part : await toTile(part))
  const content =
    subject.kind === 'dashboard'
      ? ({ kind: 'dashboard', title: subject.title, tiles } as const)
      : await toInsight(subject)
  const request = { ...DEFAULT_PICTURE, ...options, format: mediaType as PictureRequest['format'], content }
  yield await retryWhileBusy(() => orAbort(renderer.render(request), signal), { signal })
}

/** The value, or what stands for it when its query cannot be answered. */
const orElse = async <Value>(
  value: Promise<Value>,
  explain: ContentParts['explain'],
  replace: (error: string) => Value,
): Promise<Value> => {
  try {
    return await value
  } catch (error) {
    const reason = explain(error)
    if (reason === null) throw error
    return replace(reason)
  }
}

/** Rejects when the signal is aborted, although the work goes on. */
const orAbort = <Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('The export was ended.'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    void value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
