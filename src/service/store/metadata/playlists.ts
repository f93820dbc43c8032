import type { JsonObject } from '../../../wire/json.ts'
import { containsText } from './contains-text.ts'
import { createShortId } from './create-short-id.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { pickDefined } from './pick-defined.ts'
import { createSavedItems, SAVED_COLUMNS } from './saved-items.ts'
import type { Author, SavedItem } from './saved-items.ts'

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
export interface Playlist extends PlaylistFields, SavedItem {
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
  ...SAVED_COLUMNS,
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

const parseRow = (row: PlaylistRow): Playlist => ({
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

const playlists = createSavedItems({ table: 'playlists', columns: COLUMNS, parseRow })

/** One page of the playlists of a project that match a selection, without deleted ones. */
export const listPlaylistsPage = (
  metadata: Metadata,
  projectId: number,
  { createdBy, shortId, type, pinned, search, from, before, order, isDescending }: PlaylistSelection,
  page: Page,
): Promise<PageOf<Playlist>> => {
  const values = pickDefined({
    created_by: createdBy,
    short_id: shortId,
    type,
    pinned: pinned === undefined ? undefined : Number(pinned),
  })
  let rows = metadata.selectFrom('playlists').where((row) => row.and({ project_id: projectId, deleted: 0, ...values }))
  if (from !== undefined) rows = rows.where('last_modified_at', '>=', from)
  if (before !== undefined) rows = rows.where('last_modified_at', '<', before)
  if (search !== undefined)
    rows = rows.where((row) => containsText(metadata, row, ['name', 'derived_name', 'description'], search))
  const direction = isDescending ? 'desc' : 'asc'
  return loadPage(rows.select(COLUMNS).orderBy(order, direction).orderBy('id', direction), page, parseRow)
}

/** A playlist by its `short_id`, even if it is deleted. */
export const findPlaylist = (metadata: Metadata, projectId: number, shortId: string): Promise<Playlist | undefined> =>
  playlists.find(metadata, projectId, 'short_id', shortId)

export const createPlaylist = (
  metadata: Metadata,
  projectId: number,
  fields: PlaylistFields,
  author: Author,
): Promise<Playlist> =>
  playlists.create(metadata, { ...toColumns(fields), project_id: projectId, short_id: createShortId() }, author)

/** Replaces the fields of a playlist. Call it inside a transaction. */
export const updatePlaylist = (
  transaction: Metadata,
  id: number,
  fields: PlaylistFields,
  author: Author,
): Promise<Playlist> => playlists.update(transaction, id, toColumns(fields), author)
