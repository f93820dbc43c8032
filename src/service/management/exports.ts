import type { FastifyRequest } from 'fastify'
import { create as createDisposition } from 'content-disposition'
import * as Type from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { requireScope } from '../auth/project-access.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { EXPORT_FORMATS } from '../export/export-format.ts'
import type { Exporter } from '../export/exporter.ts'
import type { ExportFiles, StoredFile } from '../export/export-files.ts'
import type { ByteRange } from '../http/parse-byte-range.ts'
import { parseByteRange } from '../http/parse-byte-range.ts'
import { requestUrl } from '../http/request-url.ts'
import { HttpError, notFound } from '../http-error.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import { countExports, createExport, findExport, listExportsPage, removeExport } from '../store/metadata/exports.ts'
import type { Export } from '../store/metadata/exports.ts'
import type { NodeMetadata } from '../store/metadata/node-id.ts'
import type { Api } from './api.ts'
import { authorOf } from './author.ts'
import { toExportBody } from './export-body.ts'
import { readPage, toListBody } from './page.ts'
import { parseExportBody } from './parse-export-body.ts'
import { ExportInput, ExportSchema } from './schema/export.ts'

/** Dependencies of the exports. */
export interface ExportsOptions extends NodeMetadata {
  readonly exporter: Pick<Exporter, 'wake' | 'remove'>
  readonly files: Pick<ExportFiles, 'read'>
  /** That of the event stores. */
  readonly syntax: SqlSyntax
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/exports/'
const TAGS = ['exports']
const READ = { access: { kind: 'personalKey', scope: 'export:read' } } as const
const WRITE = { access: { kind: 'personalKey', scope: 'export:write' } } as const

/** Jobs of a project that have not ended. */
const MAX_OPEN = 100

/** Exports of a project, with those that have failed. */
const MAX_KEPT = 1000

/** Seconds after which a content is probably there. */
const RETRY_SECONDS = 2

/**
 * A browser that opens a content must run nothing of it: titles and values are texts of users. A picture may have styles of its own.
 */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Headers of contents, for the OpenAPI document. */
const CONTENT_HEADERS = {
  'content-disposition': Type.String({ description: 'Has the file name (RFC 6266).' }),
  etag: Type.String({ description: 'For `If-Range`, so that two contents are not joined.' }),
}

/** The media types of contents, for the OpenAPI document. */
const CONTENT_TYPES = Object.fromEntries(
  [...EXPORT_FORMATS.keys()].map((mediaType) => {
    const schema = mediaType === 'application/json' ? Type.Array(Type.Unknown()) : Type.String({ format: 'binary' })
    return [mediaType, { schema: Type.Unsafe<unknown>(schema) }]
  }),
)

/** Identifies a content. One that was lost and made again has another tag. */
const toEntityTag = (id: number, { bytes, completedAt }: StoredFile): string =>
  `"${id}-${completedAt.toString(36)}-${bytes}"`

/** The bytes that a request asks for; null for all. Throws `HttpError` (416), for which the reply gets a header. */
const findRange = (
  { headers }: FastifyRequest,
  reply: { header(name: 'content-range', value: string): unknown },
  { bytes, tag }: { readonly bytes: number; readonly tag: string },
): ByteRange | null => {
  // The client has a part of another content.
  if ((headers['if-range'] ?? tag) !== tag) return null
  const range = parseByteRange(headers.range, bytes)
  if (range !== 'unsatisfiable') return range
  reply.header('content-range', `bytes */${bytes}`)
  const detail = `"Range" asks for none of the ${bytes} bytes that the content has. Read it without "Range".`
  throw new HttpError(416, { type: 'invalid_request', code: 'range_not_satisfiable', detail, attr: 'range' })
}

/** Adds the exports: jobs that make files of insights, dashboards and queries, which are removed when they expire. */
export const addExports = (api: Api, { metadata, nodeId, exporter, files, syntax, now }: ExportsOptions): void => {
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({ ...ProjectParams, id: Type.Integer({ description: 'The `id` of the export.' }) })
  const Item = refTo(ExportSchema, { description: 'The export.' })
  const projectIdOf = (request: FastifyRequest): number => getProject(request).project.id

  const getExport = async (projectId: number, id: number): Promise<Export> => {
    const item = await findExport(metadata, projectId, id, now())
    if (item) return item
    throw unknownExport(id)
  }

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'exports_list',
        summary: 'Lists the exports of a project, newest first, in pages',
        tags: TAGS,
        params,
        querystring: Type.Object(PageQuery),
        response: { 200: ListOf(refTo(ExportSchema)) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const { count, items } = await listExportsPage(metadata, projectIdOf(request), now(), page)
      return toListBody({ count, items: items.map(toExportBody) }, page, requestUrl(request))
    },
  )

  api.post(
    PATH,
    {
      config: WRITE,
      schema: {
        operationId: 'exports_create',
        summary: 'Starts to export an insight, a dashboard or the answer to a query',
        tags: TAGS,
        params,
        body: ExportInput,
        response: { 201: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { key } = getCaller(request)
      const fields = await parseExportBody(metadata, projectId, request.body, {
        requireScope: (scope) => requireScope(key, scope),
        syntax,
        now: now(),
      })
      const created = await changeAuthorized(metadata, request, now, async (transaction) => {
        const { all, open } = await countExports(transaction, projectId)
        if (open >= MAX_OPEN) throw tooManyExports(`${MAX_OPEN} exports of this project are waiting or being made.`)
        if (all >= MAX_KEPT) throw tooManyExports(`This project has ${MAX_KEPT} exports. Delete some.`)
        return createExport({ metadata: transaction, nodeId }, projectId, fields, authorOf(request, now()))
      })
      exporter.wake()
      return reply.status(201).send(toExportBody(created))
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'exports_retrieve',
        summary: 'Reads an export; `has_content` tells whether its content can be read',
        tags: TAGS,
        params: itemParams,
        response: { 200: Item },
      },
    },
    async (request) => toExportBody(await getExport(projectIdOf(request), request.params.id)),
  )

  api.get(
    `${PATH}:id/content/`,
    {
      config: READ,
      schema: {
        operationId: 'exports_content_retrieve',
        summary: 'Reads the content of an export',
        tags: TAGS,
        params: itemParams,
        querystring: Type.Object({
          download: Type.Optional(
            Type.Boolean({ default: false, description: 'Whether a browser saves a picture instead of showing it.' }),
          ),
        }),
        response: {
          200: {
            description: 'The file.',
            headers: CONTENT_HEADERS,
            content: CONTENT_TYPES,
          },
          206: {
            description: 'The bytes that the header `Range` asks for: one range of them.',
            headers: {
              ...CONTENT_HEADERS,
              'content-range': Type.String({ description: 'The bytes, and how many the file has.' }),
            },
            content: CONTENT_TYPES,
          },
          416: refTo(ApiErrorSchema, { description: 'The file has none of the bytes that `Range` asks for.' }),
          409: refTo(ApiErrorSchema, {
            description: 'The content is not there yet (`Retry-After`), or will never be.',
          }),
        },
      },
    },
    async (request, reply) => {
      const item = await getExport(projectIdOf(request), request.params.id)
      if (item.state === 'failed') throw failedExport(item)
      if (item.state !== 'done') throw unfinishedExport(item.id)
      const content = await files.read(item.id, (file) =>
        findRange(request, reply, { bytes: file.bytes, tag: toEntityTag(item.id, file) }),
      )
      if (content === null) throw unknownExport(item.id)
      const isShown = item.format.startsWith('image/') && request.query.download !== true
      const { filename } = item
      const { bytes, range, stream } = content
      return reply
        .status(range === null ? 200 : 206)
        .headers({
          'accept-ranges': 'bytes',
          etag: toEntityTag(item.id, content),
          ...(range !== null && { 'content-range': `bytes ${range.first}-${range.last}/${bytes}` }),
          'content-disposition': createDisposition(filename, { type: isShown ? 'inline' : 'attachment' }),
          'content-length': range === null ? bytes : range.last - range.first + 1,
          'content-security-policy': CONTENT_POLICY,
        })
        .type(item.format.startsWith('text/') ? `${item.format}; charset=utf-8` : item.format)
        .send(stream)
    },
  )

  api.delete(
    `${PATH}:id/`,
    {
      config: WRITE,
      schema: {
        operationId: 'exports_destroy',
        summary: 'Removes an export and its content, and ends its job',
        tags: TAGS,
        params: itemParams,
        response: { 204: Type.Null({ description: 'It is removed.' }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const projectId = projectIdOf(request)
      const isRemoved = await changeAuthorized(metadata, request, now, (transaction) =>
        removeExport(transaction, projectId, id),
      )
      if (!isRemoved) throw unknownExport(id)
      await exporter.remove(id)
      return reply.status(204).send(null)
    },
  )
}

const unknownExport = (id: number): HttpError =>
  notFound(`This project has no export ${id}. An export is removed at its time \`expires_after\`.`)

const conflictOf = (code: string, detail: string, options: { readonly retryAfterSeconds?: number } = {}): HttpError =>
  new HttpError(409, { type: 'invalid_request', code, detail, attr: null }, options)

const unfinishedExport = (id: number): HttpError =>
  conflictOf('export_not_ready', `The content of export ${id} is being made. Ask again in some seconds.`, {
    retryAfterSeconds: RETRY_SECONDS,
  })

const failedExport = ({ id, error }: Export): HttpError =>
  conflictOf('export_failed', `Export ${id} has no content: ${error ?? 'it has failed.'}`)

const tooManyExports = (detail: string): HttpError =>
  new HttpError(
    429,
    { type: 'throttled_error', code: 'too_many_exports', detail, attr: null },
    { retryAfterSeconds: RETRY_SECONDS },
  )
