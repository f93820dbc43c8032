import { isDeepStrictEqual } from 'node:util'
import * as Type from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { getCaller } from '../auth/request-access.ts'
import { badRequest } from '../http-error.ts'
import { parseDateRange } from '../insight/time/date-range.ts'
import type { DateRange } from '../insight/time/date-range.ts'
import { UTC_CALENDAR } from '../insight/time/calendar.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { hasScope } from '../permission/scopes.ts'
import { applyPlaylistBody, EMPTY_PLAYLIST } from '../playlist/parse-playlist.ts'
import type { PlaylistBody } from '../playlist/parse-playlist.ts'
import { checkNewSessionFilters } from './check-new-query.ts'
import { toPlaylistBody } from './playlist-body.ts'
import type { SessionCounts } from '../playlist/session-counts.ts'
import type { Engine } from '../store/events/question/engine.ts'
import { createPlaylist, findPlaylist, listPlaylistsPage, updatePlaylist } from '../store/metadata/playlists.ts'
import type { Playlist, PlaylistFields } from '../store/metadata/playlists.ts'
import type { ResourceOptions } from './add-resource.ts'
import { loadAuthors } from './author.ts'
import { parseOrder } from './parse-order.ts'
import type { SavedChange, SavedRequest, SavedResource } from './saved-resource.ts'
import { PlaylistChange, PlaylistInput, PlaylistQuery, PlaylistSchema } from './schema/session-recording-playlist.ts'

/** Dependencies of the playlists. */
export interface PlaylistsOptions extends ResourceOptions {
  readonly sessionCounts: SessionCounts
  /** That of the event stores. */
  readonly engine: Engine
}

/** Parses the query parameters `date_from` and `date_to`. Throws `HttpError`. */
const parseModifiedRange = (query: JsonObject, now: number): DateRange => {
  try {
    return parseDateRange(query, '', { now, calendar: UTC_CALENDAR })
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw badRequest('invalid_date', `"${error.path}"${error.message.slice(error.path.length)}.`, error.path, error)
  }
}

/**
 * Session recording playlists: saved selections of sessions. Recordings are not stored, so a playlist counts the sessions that events
 * carry.
 */
export const createPlaylists = ({
  metadata,
  sessionCounts,
  engine,
  now,
}: PlaylistsOptions): SavedResource<Playlist, PlaylistFields, typeof PlaylistInput, typeof PlaylistQuery> => {
  const toBodies = async ({ projectId, request }: SavedRequest, playlists: readonly Playlist[]) => {
    // A count is the answer to a question, and filters tell by it what events have.
    const mayCount = hasScope(getCaller(request).key.scopes, 'query:read')
    const counts = mayCount ? await sessionCounts.read(projectId, playlists) : []
    const users = await loadAuthors(metadata, playlists)
    return playlists.map((playlist, index) => toPlaylistBody(playlist, counts[index] ?? null, users))
  }
  const applyBody = async (
    { transaction, projectId, body }: SavedChange<typeof PlaylistInput>,
    stored: PlaylistFields,
  ): Promise<PlaylistFields> => {
    const { filters } = body as PlaylistBody
    if (filters && !isDeepStrictEqual(filters, stored.filters)) checkNewSessionFilters(filters, 'filters')
    const context = await loadFilterContext(transaction, projectId, now())
    return applyPlaylistBody(stored, body as PlaylistBody, context, engine)
  }
  return {
    path: 'session_recording_playlists',
    scope: 'session_recording_playlist',
    description: {
      item: 'a session recording playlist',
      shortItem: 'a playlist',
      id: { name: 'short_id', schema: Type.String({ description: 'The `short_id` of the playlist.' }) },
      schema: PlaylistSchema,
      listedSchema: PlaylistSchema,
      input: PlaylistInput,
      change: PlaylistChange,
      listQuery: PlaylistQuery,
      summaries: {
        list: 'Lists the session recording playlists of a project, in pages, without deleted ones',
        read: 'Reads a session recording playlist, also a deleted one',
        change: 'Changes the fields of a session recording playlist that the body contains',
      },
      changeOperation: 'update',
    },
    async list(request, query, page) {
      const {
        created_by: createdBy,
        short_id: shortId,
        type,
        pinned,
        search,
        order = '-last_modified_at',
        ...range
      } = query
      const { from, before } = parseModifiedRange(range, now())
      const selection = { createdBy, shortId, type, pinned, search, from, before, ...parseOrder(order) }
      const { count, items } = await listPlaylistsPage(metadata, request.projectId, selection, page)
      return { count, items: await toBodies(request, items) }
    },
    find: (from, projectId, id) => findPlaylist(from, projectId, String(id)),
    create: async (change) => {
      const { transaction, projectId, author } = change
      return createPlaylist(transaction, projectId, await applyBody(change, EMPTY_PLAYLIST), author)
    },
    apply: async (change, stored) => ({ fields: await applyBody(change, stored) }),
    update: updatePlaylist,
    toBody: async (request, playlist) => (await toBodies(request, [playlist]))[0]!,
  }
}
