import { randomInt } from 'node:crypto'
import type { JsonObject } from '../../../wire/json.ts'
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
export interface Playlist extends PlaylistFields {
  readonly id: number
  /** Identifies the playlist in paths: random, and never used again. */
  readonly shortId: string
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Id of a user; null if the user was removed. */
  readonly createdBy: number | null
  /** Milliseconds since 1970. */
  readonly lastModifiedAt: number
  /** Id of a user; null if the user was removed. */
  readonly lastModifiedBy: number | null
}

/** Who changes a playlist, and when (milliseconds since 1970). */
export interface Author {
  readonly userId: number
  readonly now: number
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
  'id',
  'short_id as shortId',
  'name',
  'derived_name as derivedName',
  'description',
  'pinned',
  'deleted',
  'type',
  'is_type_fixed as isTypeFixed',
  'filters',
  'version',
  'created_at as createdAt',
  'created_by as createdBy',
  'last_modified_at as lastModifiedAt',
  'last_modified_by as lastModifiedBy',
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

const SHORT_ID_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHORT_ID_LENGTH = 12

/** 71 random bits: nobody guesses or repeats it. Letters and digits, so that it stays whole in URLs and commands. */
const createShortId = (): string =>
  Array.from({ length: SHORT_ID_LENGTH }, () => SHORT_ID_CHARACTERS[randomInt(SHORT_ID_CHARACTERS.length)]).join('')

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
  if (search !== undefined) {
    // As SQLite does: its `lower` leaves all letters beyond ASCII as they are.
    const pattern = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    playlists = playlists.where((row) =>
      row.or(
        (['name', 'derived_name', 'description'] as const).map((column) =>
          row(row.fn<number>('instr', [row.fn('lower', [column]), row.val(pattern)]), '>', 0),
        ),
      ),
    )
  }
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
  { userId, now }: Author,
): Promise<Playlist> => {
  const row = await metadata
    .insertInto('playlists')
    .values({
      project_id: projectId,
      short_id: createShortId(),
      ...toColumns(fields),
      version: 1,
      created_at: now,
      created_by: userId,
      last_modified_at: now,
      last_modified_by: userId,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parsePlaylistRow(row)
}

/** Replaces the fields of a playlist. Call it inside a transaction. */
export const updatePlaylist = async (
  transaction: Metadata,
  id: number,
  fields: PlaylistFields,
  { userId, now }: Author,
): Promise<Playlist> => {
  const row = await transaction
    .updateTable('playlists')
    .set((current) => ({
      ...toColumns(fields),
      version: current('version', '+', 1),
      last_modified_at: now,
      last_modified_by: userId,
    }))
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parsePlaylistRow(row)
}
