import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, refTo, Time, Version } from '../../schema/types.ts'
import { PLAYLIST_ORDERS, PLAYLIST_TYPES } from '../../store/metadata/playlists.ts'
import { UserSchema } from './user.ts'

const NullableCount = (description: string) => nullable(Type.Integer({ minimum: 0 }), { description })

export const RecordingsCountsSchema = Type.Object(
  {
    saved_filters: Type.Optional(
      Type.Object(
        {
          count: NullableCount(
            'Sessions that match the filters. Null for a collection, for filters on what events do not tell, and while it is not known.',
          ),
          has_more: nullable(Type.Boolean(), { description: 'Always false: all sessions are counted.' }),
          watched_count: NullableCount('Always 0: recordings are not stored, so none was watched.'),
          increased: nullable(Type.Boolean(), {
            description: 'Whether the count has grown since it was counted before.',
          }),
          last_refreshed_at: nullable(Type.String({ format: 'date-time' }), { description: 'When it was counted.' }),
        },
        { description: 'Counts of a playlist of the type `filters`; otherwise null.' },
      ),
    ),
    collection: Type.Optional(
      Type.Object(
        {
          count: NullableCount('Always 0: recordings are not stored, so none can be picked.'),
          watched_count: NullableCount('Always 0.'),
        },
        { description: 'Counts of a playlist of the type `collection`; otherwise null.' },
      ),
    ),
  },
  {
    $id: 'RecordingsCounts',
    description: 'The numbers of sessions of a playlist. Empty for a key without the scope `query:read`.',
  },
)

const Name = (description: string) => Type.String({ maxLength: 400, description, examples: ['Checkouts that failed'] })

const PlaylistType = (description: string) => Type.Enum([...PLAYLIST_TYPES], { description, examples: ['filters'] })

const Filters = () =>
  JsonFields(
    'Which sessions match: `date_from`, `date_to`, `duration`, and `filter_group`, a tree of property filters and events. Other fields are kept.',
  )

export const PlaylistSchema = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    short_id: Type.String({ description: 'Identifies the playlist in paths.', examples: ['pX3dZ0qk2aLw'] }),
    name: Name('Empty for none.'),
    derived_name: Name('A name that follows from the filters, unless it was set.'),
    description: Type.String(),
    pinned: Type.Boolean(),
    created_at: Time('Time of creation.'),
    created_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
    deleted: Type.Boolean({ description: 'A deleted playlist is kept, but not listed.' }),
    filters: Filters(),
    last_modified_at: Time('Time of the last change.'),
    last_modified_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
    recordings_counts: refTo(RecordingsCountsSchema),
    type: PlaylistType('`filters`: sessions that match the filters. `collection`: sessions picked one by one.'),
    is_synthetic: Type.Boolean({ description: 'Always false: users made all playlists.' }),
    version: Version(),
  },
  { $id: 'SessionRecordingPlaylist', description: 'A saved selection of sessions.' },
)

export const PlaylistInput = Type.Object({
  name: Type.Optional(nullable(Name('Default: empty.'))),
  derived_name: Type.Optional(nullable(Name('Default: follows from the filters.'))),
  description: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
  pinned: Type.Optional(Type.Boolean({ default: false })),
  deleted: Type.Optional(
    Type.Boolean({ default: false, description: 'True deletes the playlist, false restores it.' }),
  ),
  filters: Type.Optional(nullable(Filters())),
  type: Type.Optional(
    nullable(PlaylistType('Fixed once it is set. Default: `filters` if there are filters, else `collection`.')),
  ),
})

export const PlaylistChange = Type.Object({ ...PlaylistInput.properties, version: Type.Optional(IfVersion()) })

/** The query parameters that select and order playlists, besides those of pages. */
export const PlaylistQuery = {
  created_by: Type.Optional(Type.Integer({ description: 'Id of the user who created them.' })),
  short_id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Enum([...PLAYLIST_TYPES])),
  pinned: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({ description: 'Part of the name or the description; letters A to Z in any case.' }),
  ),
  date_from: Type.Optional(
    Type.String({
      description: 'Last modified since then: an ISO 8601 date or time, or a relative date such as `-7d`.',
    }),
  ),
  date_to: Type.Optional(Type.String({ description: 'Last modified until then.' })),
  order: Type.Optional(
    Type.Enum(
      PLAYLIST_ORDERS.flatMap((order) => [order, `-${order}`] as const),
      { default: '-last_modified_at', description: 'A minus sign means the highest first.' },
    ),
  ),
}
