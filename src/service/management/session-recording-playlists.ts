import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { changeAuthorized } from '../auth/authorize.ts'
import { getProject } from '../auth/request-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { badRequest, notFound } from '../http-error.ts'
import { parseDateRange } from '../insight/time/date-range.ts'
import type { DateRange } from '../insight/time/date-range.ts'
import { UTC_CALENDAR } from '../insight/time/calendar.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { applyPlaylistBody, EMPTY_PLAYLIST } from '../playlist/parse-playlist.ts'
import type { PlaylistBody } from '../playlist/parse-playlist.ts'
import { toPlaylistBody } from './playlist-body.ts'
import type { SessionCounts } from '../playlist/session-counts.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { createPlaylist, findPlaylist, listPlaylistsPage, updatePlaylist } from '../store/metadata/playlists.ts'
import type { Playlist, PlaylistFields, PlaylistOrder } from '../store/metadata/playlists.ts'
import type { Api } from './api.ts'
import { authorOf, loadAuthors } from './author.ts'
import { checkVersion } from './change.ts'
import { readPage, toListBody } from './page.ts'
import { refuseDelete } from './refuse-delete.ts'
import { PlaylistChange, PlaylistInput, PlaylistQuery, PlaylistSchema } from './schema/session-recording-playlist.ts'

/** Dependencies of the playlists. */
export interface PlaylistsOptions {
  readonly metadata: Metadata
  readonly sessionCounts: SessionCounts
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/session_recording_playlists/'
const READ = { access: { kind: 'personalKey', scope: 'session_recording_playlist:read' } } as const
const WRITE = { access: { kind: 'personalKey', scope: 'session_recording_playlist:write' } } as const
const TAGS = ['session_recording_playlists']

const getPlaylist = async (metadata: Metadata, projectId: number, shortId: string): Promise<Playlist> => {
  const playlist = await findPlaylist(metadata, projectId, shortId)
  if (playlist) return playlist
  throw notFound(`This project has no playlist with the short_id ${shortId}. GET the list to see all of them.`)
}

const hasChanged = (playlist: Playlist, fields: PlaylistFields): boolean =>
  !isDeepStrictEqual({ ...playlist, ...fields }, playlist)

/** Parses the query parameters `date_from` and `date_to`. Throws `HttpError`. */
const parseModifiedRange = (query: JsonObject, now: number): DateRange => {
  try {
    return parseDateRange(query, '', { now, calendar: UTC_CALENDAR })
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw badRequest('invalid_date', `"${error.path}"${error.message.slice(error.path.length)}.`, error.path, error)
  }
}

const projectIdOf = (request: FastifyRequest): number => getProject(request).project.id

/**
 * Adds the session recording playlists: saved selections of sessions. Recordings are not stored, so a playlist counts the
 * sessions that events carry. A playlist is deleted by a PATCH of `deleted`, and can be restored.
 */
export const addPlaylists = (api: Api, { metadata, sessionCounts, now }: PlaylistsOptions): void => {
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({
    ...ProjectParams,
    short_id: Type.String({ description: 'The `short_id` of the playlist.' }),
  })
  const Item = refTo(PlaylistSchema, { description: 'The playlist.' })

  const toBodies = async (projectId: number, playlists: readonly Playlist[]) => {
    const counts = await sessionCounts.read(projectId, playlists)
    const users = await loadAuthors(metadata, playlists)
    return playlists.map((playlist, index) => toPlaylistBody(playlist, counts[index]!, users))
  }
  const toBody = async (projectId: number, playlist: Playlist) => (await toBodies(projectId, [playlist]))[0]!
  const loadContext = (projectId: number) => loadFilterContext(metadata, projectId, now())

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'session_recording_playlists_list',
        summary: 'Lists the session recording playlists of a project, in pages, without deleted ones',
        tags: TAGS,
        params,
        querystring: Type.Object({ ...PageQuery, ...PlaylistQuery }),
        response: { 200: ListOf(refTo(PlaylistSchema)) },
      },
    },
    async (request) => {
      const projectId = projectIdOf(request)
      const {
        limit,
        offset,
        created_by: createdBy,
        short_id: shortId,
        type,
        pinned,
        search,
        order = '-last_modified_at',
        ...range
      } = request.query
      const page = readPage({ ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) })
      const { from, before } = parseModifiedRange(range, now())
      const isDescending = order.startsWith('-')
      const { count, items } = await listPlaylistsPage(
        metadata,
        projectId,
        {
          createdBy,
          shortId,
          type,
          pinned,
          search,
          from,
          before,
          order: order.replace('-', '') as PlaylistOrder,
          isDescending,
        },
        page,
      )
      return toListBody({ count, items: await toBodies(projectId, items) }, page, requestUrl(request))
    },
  )

  api.post(
    PATH,
    {
      config: WRITE,
      schema: {
        operationId: 'session_recording_playlists_create',
        summary: 'Creates a session recording playlist',
        tags: TAGS,
        params,
        body: PlaylistInput,
        response: { 201: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const fields = applyPlaylistBody(EMPTY_PLAYLIST, request.body as PlaylistBody, await loadContext(projectId))
      const playlist = await changeAuthorized(metadata, request, now, (transaction) =>
        createPlaylist(transaction, projectId, fields, authorOf(request, now())),
      )
      return reply.status(201).send(await toBody(projectId, playlist))
    },
  )

  api.get(
    `${PATH}:short_id/`,
    {
      config: READ,
      schema: {
        operationId: 'session_recording_playlists_retrieve',
        summary: 'Reads a session recording playlist, also a deleted one',
        tags: TAGS,
        params: itemParams,
        response: { 200: Item },
      },
    },
    async (request) => {
      const projectId = projectIdOf(request)
      return toBody(projectId, await getPlaylist(metadata, projectId, request.params.short_id))
    },
  )

  api.patch(
    `${PATH}:short_id/`,
    {
      config: WRITE,
      schema: {
        operationId: 'session_recording_playlists_update',
        summary:
          'Changes the fields of a session recording playlist that the body contains; also deletes and restores it',
        tags: TAGS,
        params: itemParams,
        body: PlaylistChange,
        response: { 200: Item },
      },
    },
    async (request) => {
      const projectId = projectIdOf(request)
      const body = request.body as PlaylistBody
      const context = await loadContext(projectId)
      const playlist = await changeAuthorized(metadata, request, now, async (transaction) => {
        const stored = await getPlaylist(transaction, projectId, request.params.short_id)
        checkVersion(stored, body)
        const fields = applyPlaylistBody(stored, body, context)
        return hasChanged(stored, fields)
          ? updatePlaylist(transaction, stored.id, fields, authorOf(request, now()))
          : stored
      })
      return toBody(projectId, playlist)
    },
  )

  refuseDelete(api, {
    path: `${PATH}:short_id/`,
    params: itemParams,
    access: WRITE.access,
    operationId: 'session_recording_playlists_destroy',
    item: 'a playlist',
    tags: TAGS,
  })
}
