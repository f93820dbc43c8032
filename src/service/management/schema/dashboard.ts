import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, refTo, Time, Version } from '../../schema/types.ts'
import { CREATION_MODES } from '../../store/metadata/dashboards.ts'
import { InsightSchema, Tags } from './insight.ts'
import { UserSchema } from './user.ts'

/** Most tiles of one dashboard: reading it reads the answers of all. */
export const MAX_TILES = 200

const name = Type.String({ maxLength: 400, examples: ['Growth'] })
const description = Type.String({ maxLength: 10_000 })
const filters = JsonFields('`date_from`, `date_to` and `properties` for all its insights; other fields are kept.')
const TileText = Type.Object({ body: Type.String({ maxLength: 4000, examples: ['# Signups'] }) })
const layouts = JsonFields('Where the tile is on screens of each size (`sm`, `xs`); kept as it is.')
const color = nullable(Type.String({ maxLength: 100 }))
const order = Type.Integer({ description: 'Tiles are listed by it.' })

const TileSchema = Type.Object(
  {
    id: Type.Integer(),
    insight: nullable(refTo(InsightSchema), { description: 'Null for a text.' }),
    text: nullable(TileText, { description: 'Null for an insight.' }),
    layouts,
    color,
    order,
    deleted: Type.Boolean(),
    last_refresh: nullable(Type.String({ format: 'date-time' })),
    is_cached: Type.Boolean(),
    error: nullable(
      Type.Object({
        type: Type.String({ description: 'The `error_code` of the query.', examples: ['query_invalid'] }),
        message: Type.String({ description: 'One sentence, or a few, for people.' }),
      }),
      { description: 'Why its insight has no answer; null without an error.' },
    ),
  },
  { description: 'A part of a dashboard.' },
)

const FIELDS = {
  id: Type.Integer({ examples: [1] }),
  name,
  description,
  pinned: Type.Boolean(),
  tags: Tags(),
  filters,
  persisted_filters: filters,
  deleted: Type.Boolean({ description: 'A deleted dashboard is kept, but not listed.' }),
  creation_mode: Type.Enum([...CREATION_MODES], { description: '`duplicate`: it was made from another one.' }),
  is_shared: Type.Boolean({ description: 'Always false: a dashboard needs a key.' }),
  team_id: Type.Integer({ description: 'Id of the project.' }),
  created_at: Time('Time of creation.'),
  created_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
  last_modified_at: Time('Time of the last change.'),
  last_modified_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
  last_viewed_at: nullable(Type.String({ format: 'date-time' }), { description: 'When it was read last.' }),
  version: Version(),
}

export const DashboardSummarySchema = Type.Object(FIELDS, {
  $id: 'DashboardSummary',
  description: 'A dashboard in a list, without its tiles.',
})

export const DashboardSchema = Type.Object(
  { ...FIELDS, tiles: Type.Array(TileSchema, { description: 'In their order, without deleted ones.' }) },
  { $id: 'Dashboard', description: 'A page of insights and texts.' },
)

const TileInput = Type.Object({
  id: Type.Optional(nullable(Type.Integer(), { description: 'A tile of this dashboard. Missing: a new one.' })),
  insight: Type.Optional(
    nullable(Type.Union([Type.Integer(), Type.Object({ id: Type.Integer() })]), {
      description: 'Id of the insight of a new tile, or the insight itself.',
    }),
  ),
  text: Type.Optional(nullable(TileText, { description: 'The text of a tile without an insight.' })),
  layouts: Type.Optional(layouts),
  color: Type.Optional(color),
  order: Type.Optional(nullable(order)),
  deleted: Type.Optional(nullable(Type.Boolean())),
})

export const DashboardInput = Type.Object({
  name: Type.Optional(nullable(name)),
  description: Type.Optional(nullable(description)),
  pinned: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags()),
  filters: Type.Optional(nullable(filters)),
  deleted: Type.Optional(Type.Boolean({ description: 'True deletes the dashboard, false restores it.' })),
  tiles: Type.Optional(
    Type.Array(TileInput, {
      maxItems: MAX_TILES,
      description: 'Tiles to add or to change; the others stay as they are.',
    }),
  ),
  use_dashboard: Type.Optional(
    nullable(Type.Integer(), {
      description: 'Id of a dashboard whose tiles the new one gets. Only when it is created.',
    }),
  ),
})

export const DashboardChange = Type.Object({ ...DashboardInput.properties, version: Type.Optional(IfVersion()) })

/** The query parameters that select dashboards, besides those of pages. */
export const DashboardListQuery = {
  pinned: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({ description: 'Part of the name or the description; letters A to Z in any case.' }),
  ),
}
