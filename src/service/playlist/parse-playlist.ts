import { isDeepStrictEqual } from 'node:util'
import { isDeeperThan } from '../../wire/is-deeper-than.ts'
import type { JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import type { FilterContext } from '../insight/filter/filter-context.ts'
import { FilterError, UnsupportedFilterError } from '../insight/filter/filter-error.ts'
import { parseSessionFilter } from '../insight/session/parse-session-filter.ts'
import { writeSessionCount } from '../insight/session/write-session-count.ts'
import type { Engine } from '../store/events/question/engine.ts'
import type { PlaylistFields, PlaylistType } from '../store/metadata/playlists.ts'
import { patch } from '../patch.ts'

/** The fields of a playlist in the body of a request; the schema has checked their types. Null means the default. */
export interface PlaylistBody {
  readonly name?: string | null
  readonly derived_name?: string | null
  readonly description?: string | null
  readonly pinned?: boolean
  readonly deleted?: boolean
  readonly filters?: JsonObject | null
  readonly type?: PlaylistType | null
  /** The version that a change is based on; null or missing for any. */
  readonly version?: number | null
}

/** A new playlist before the fields of its body are applied. */
export const EMPTY_PLAYLIST: PlaylistFields = {
  name: '',
  derivedName: null,
  description: '',
  pinned: false,
  deleted: false,
  type: 'collection',
  isTypeFixed: false,
  filters: {},
}

/** Largest filters, in bytes of JSON (64 KiB): more than that cannot be queried. */
const MAX_FILTER_BYTES = 64 * 1024
const MAX_FILTER_NESTING = 64

/**
 * Applies the fields of a body to a playlist. Filters of the protocol that cannot be applied to events are kept.
 *
 * @throws HttpError for filters that no client should send, and for a type that does not fit.
 */
export const applyPlaylistBody = (
  stored: PlaylistFields,
  { name, derived_name: derivedName, description, pinned, deleted, filters, type }: PlaylistBody,
  context: FilterContext,
  engine: Engine,
): PlaylistFields => {
  // Clients send back what they have read, which may be of a cohort that was deleted since.
  if (filters && !isDeepStrictEqual(filters, stored.filters)) checkFilters(filters, context, engine)
  const newFilters = patch(filters, stored.filters, {})
  return {
    name: patch(name, stored.name, ''),
    derivedName: patch(derivedName, stored.derivedName, null) || null,
    description: patch(description, stored.description, ''),
    pinned: patch(pinned, stored.pinned),
    deleted: patch(deleted, stored.deleted),
    filters: newFilters,
    ...chooseType(stored, type ?? undefined, newFilters),
  }
}

const checkFilters = (filters: JsonObject, context: FilterContext, engine: Engine): void => {
  if (isDeeperThan(filters, MAX_FILTER_NESTING))
    throw badRequest('invalid_filters', `"filters" is nested in more than ${MAX_FILTER_NESTING} levels.`, 'filters')
  if (Buffer.byteLength(JSON.stringify(filters)) > MAX_FILTER_BYTES)
    throw badRequest('invalid_filters', `"filters" must be at most ${MAX_FILTER_BYTES} bytes of JSON.`, 'filters')
  try {
    writeSessionCount(parseSessionFilter(filters, 'filters', context), 'filters', context, engine)
  } catch (error) {
    if (error instanceof UnsupportedFilterError) return
    if (error instanceof FilterError) throw badRequest('invalid_filters', `${error.message}.`, error.path, error)
    throw error
  }
}

const chooseType = (
  stored: PlaylistFields,
  chosen: PlaylistType | undefined,
  filters: JsonObject,
): Pick<PlaylistFields, 'type' | 'isTypeFixed'> => {
  const fitting = Object.keys(filters).length > 0 ? 'filters' : 'collection'
  if (chosen === undefined && !stored.isTypeFixed) return { type: fitting, isTypeFixed: false }
  if (chosen !== undefined && stored.isTypeFixed && chosen !== stored.type)
    throw badRequest(
      'invalid_type',
      `"type" is "${stored.type}" and cannot be changed; create another playlist.`,
      'type',
    )
  const type = chosen ?? stored.type
  if (type === fitting) return { type, isTypeFixed: true }
  throw type === 'collection'
    ? badRequest('invalid_filters', 'A playlist of the type "collection" cannot have "filters".', 'filters')
    : badRequest('invalid_filters', 'A playlist of the type "filters" needs "filters".', 'filters')
}
