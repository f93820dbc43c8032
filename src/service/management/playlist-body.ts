import type { User } from '../store/metadata/users.ts'
import type { Playlist } from '../store/metadata/playlists.ts'
import { toUserOrNull } from './user-body.ts'
import { deriveName } from '../playlist/derive-name.ts'
import type { SessionCount } from '../playlist/session-counts.ts'
import { toIsoTime, toIsoTimeOrNull } from '../to-iso-time.ts'

const toCounts = ({ type }: Playlist, { count, hasIncreased, countedAt }: SessionCount) =>
  type === 'filters'
    ? {
        saved_filters: {
          count,
          has_more: false,
          watched_count: 0,
          increased: hasIncreased,
          last_refreshed_at: toIsoTimeOrNull(countedAt),
        },
        collection: { count: null, watched_count: null },
      }
    : {
        saved_filters: { count: null, has_more: null, watched_count: null, increased: null, last_refreshed_at: null },
        collection: { count: 0, watched_count: 0 },
      }

/**
 * A playlist in the form of the management API.
 *
 * @param count Null for a caller who may not read counts.
 * @param users Its users, by id; users that were removed are missing.
 */
export const toPlaylistBody = (playlist: Playlist, count: SessionCount | null, users: ReadonlyMap<number, User>) => {
  const { id, shortId, name, description, pinned, deleted, filters, type, version } = playlist
  return {
    id,
    short_id: shortId,
    name,
    derived_name: playlist.derivedName ?? deriveName(filters),
    description,
    pinned,
    created_at: toIsoTime(playlist.createdAt),
    created_by: toUserOrNull(users, playlist.createdBy),
    deleted,
    filters,
    last_modified_at: toIsoTime(playlist.lastModifiedAt),
    last_modified_by: toUserOrNull(users, playlist.lastModifiedBy),
    recordings_counts: count === null ? {} : toCounts(playlist, count),
    type,
    is_synthetic: false,
    version,
  }
}
