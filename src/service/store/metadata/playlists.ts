import type { JsonObject } from '../../../wire/json.ts'
import type { Author, Authorship } from './author.ts'
import { AUTHORSHIP_COLUMNS, toChangedAuthorship, toNewAuthorship } from './author.ts'
import { containsText } from './contains-text.ts'
import { createShortId } from './create-short-id.ts'
import type { Metadata } from './open.ts'
import type { Page, PageOf } from './stored-definition.ts'

/** `filters`: the sessions that match the filters. `collection`: sessions that are picked one by one. */
export const PLAYLIST_TYPES = ['collection', 'filters'] as const
export type PlaylistType = (typeof PLAYLIST_TYPES)[number]

/** The fields of a playlist that clients set. */
export interface PlaylistFields {
  /** Empty for none. */
  readonly name: string
  /** Null if it follows from the filters. */
  readonly derivedName: string | null
  readonly description: string
  readonly pinned: boolean
  /** A deleted playlist is kept, but not listed. */
  readonly deleted: boolean
  readonly type: PlaylistType
  /** Whether the type was chosen; it then no longer follows from the filters. */
  readonly isTypeFixed: boolean
  readonly filters: JsonObject
}

/** A saved selection of sessions. */
export interface Playlist extends PlaylistFields, Authorship {
  /** Identifies the playlist in paths: random, and never used again. */
  readonly shortId: string
}

/** The columns by which a list of playlists can be ordered. */
export const PLAYLIST_ORDERS = ['last_modified_at', 'created_at', 'name', 'id'] as const
export type PlaylistOrder = (typeof PLAYLIST_ORDERS)[number]

/** Selects and orders a list of playlists. */
export interface PlaylistSelection {
  readonly createdBy?: number | undefined
  readonly shortId?: string | undefined
  readonly type?: PlaylistType | undefined
  readonly pinned?: boolean | undefined
  /** Part of the name or the description, in any case (of ASCII letters). */
  readonly search?: string | undefined
  /** Last modified at or after this time. Milliseconds since 1970. */
  readonly from?: number | undefined
  /** Last modified before this time. Milliseconds since 1970. */
  readonly before?: number | undefined
  readonly order: PlaylistOrder
  readonly isDescending: boolean
}

const COLUMNS = [
  ...AUTHORSHIP_COLUMNS,
  'short_id as shortId',
  'name',
  'derived_name as derivedName',
  'description',
  'pinned',
  'deleted',
  'type',
  'is_type_fixed as isTypeFixed',
  'filters',
] as const

interface PlaylistRow extends Omit<Playlist, 'pinned' | 'deleted' | 'type' | 'isTypeFixed' | 'filters'> {
  readonly pinned: number
  readonly deleted: number
  readonly type: string
  readonly isTypeFixed: number
  readonly filters: string
}

const parsePlaylistRow = (row: PlaylistRow): Playlist => ({
  ...row,
  pinned: row.pinned === 1,
  deleted: row.deleted === 1,
  // `toColumns`, the only writer of the column, accepts only types.
  type: row.type as PlaylistType,
  isTypeFixed: row.isTypeFixed === 1,
  filters: JSON.parse(row.filters) as JsonObject,
})

const toColumns = ({
  name,
  derivedName,
  description,
  pinned,
  deleted,
  type,
  isTypeFixed,
  filters,
}: PlaylistFields) => ({
  name,
  derived_name: derivedName,
  description,
  pinned: pinned ? 1 : 0,
  deleted: deleted ? 1 : 0,
  type,
  is_type_fixed: isTypeFixed ? 1 : 0,
  filters: JSON.stringify(filters),
})

const selectPlaylists = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('playlists').where('project_id', '=', projectId)

/** One page of the playlists of a project that match a selection, without deleted ones. */
export const listPlaylistsPage = async (
  metadata: Metadata,
  projectId: number,
  { createdBy, shortId, type, pinned, search, from, before, order, isDescending }: PlaylistSelection,
  { limit, offset }: Page,
): Promise<PageOf<Playlist>> => {
  let playlists = selectPlaylists(metadata, projectId).where('deleted', '=', 0)
  if (createdBy !== undefined) playlists = playlists.where('created_by', '=', createdBy)
  if (shortId !== undefined) playlists = playlists.where('short_id', '=', shortId)
  if (type !== undefined) playlists = playlists.where('type', '=', type)
  if (pinned !== undefined) playlists = playlists.where('pinned', '=', pinned ? 1 : 0)
  if (from !== undefined) playlists = playlists.where('last_modified_at', '>=', from)
  if (before !== undefined) playlists = playlists.where('last_modified_at', '<', before)
  if (search !== undefined)
    playlists = playlists.where((row) => containsText(row, ['name', 'derived_name', 'description'], search))
  const { count } = await playlists.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const direction = isDescending ? 'desc' : 'asc'
  const rows = playlists.select(COLUMNS).orderBy(order, direction).orderBy('id', direction).limit(limit).offset(offset)
  return { count: Number(count), items: (await rows.execute()).map(parsePlaylistRow) }
}

/** A playlist by its `short_id`, even if it is deleted. */
export const findPlaylist = async (
  metadata: Metadata,
  projectId: number,
  shortId: string,
): Promise<Playlist | undefined> => {
  const row = await selectPlaylists(metadata, projectId)
    .where('short_id', '=', shortId)
    .select(COLUMNS)
    .executeTakeFirst()
  return row && parsePlaylistRow(row)
}

export const createPlaylist = async (
  metadata: Metadata,
  projectId: number,
  fields: PlaylistFields,
  author: Author,
): Promise<Playlist> => {
  const row = await metadata
    .insertInto('playlists')
    .values({ project_id: projectId, short_id: createShortId(), ...toColumns(fields), ...toNewAuthorship(author) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parsePlaylistRow(row)
}

/** Replaces the fields of a playlist. Call it inside a transaction. */
export const updatePlaylist = async (
  transaction: Metadata,
  id: number,
  fields: PlaylistFields,
  author: Author,
): Promise<Playlist> => {
  const row = await transaction
    .updateTable('playlists')
    .set({ ...toColumns(fields), ...toChangedAuthorship(author) })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parsePlaylistRow(row)
}
