import * as Type from 'typebox'
import { EXPORT_FORMATS } from '../../export/export-format.ts'
import { JsonFields, nullable, Time } from '../../schema/types.ts'

const dashboard = nullable(Type.Integer({ examples: [1] }), { description: 'Id of the dashboard that is exported.' })
const insight = nullable(Type.Integer({ examples: [1] }), { description: 'Id of the insight that is exported.' })

const CONTEXT_TEXT =
  '`source`: a query, as `POST …/query/` takes it, if neither a dashboard nor an insight is exported; also as `path`, `method` and `body` ' +
  'of a request for a query or for events. `filename`: with or without the ending of the format. Of pictures: `width` and `height` in CSS ' +
  'pixels (default 800 × 400), `scale`, the pixels of a PNG for each of these (default 2), and `theme`, `light` or `dark`. Of ' +
  'CSV: `bom`, whether it begins with a byte order mark, and `raw`, whether strings that begin with `=`, `+`, `-`, `@`, a tab or a ' +
  'carriage return stay as they are; else they get an apostrophe before them, unless they are a number, so that common spreadsheet programs do not take them for ' +
  'formulas, and so do these signs after `;`, `|`, a tab or the end of a line.'

export const ExportSchema = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    dashboard,
    insight,
    export_format: Type.String({ description: 'Media type.', examples: ['image/png'] }),
    export_context: nullable(JsonFields(CONTEXT_TEXT)),
    created_at: Time('Time of creation.'),
    has_content: Type.Boolean({
      description: 'Whether the content can be read. It is made after the export was created.',
    }),
    filename: Type.String({ examples: ['export-signups-per-day.png'] }),
    expires_after: Time('When the export and its content are removed.'),
    exception: nullable(Type.String(), { description: 'Why there will be no content; null as long as it may come.' }),
  },
  { $id: 'ExportedAsset', description: 'A picture, or the rows, of an insight, a dashboard or a query.' },
)

export const ExportInput = Type.Object({
  dashboard: Type.Optional(dashboard),
  insight: Type.Optional(insight),
  export_format: Type.Enum([...EXPORT_FORMATS.keys()], { description: 'Media type.' }),
  export_context: Type.Optional(
    nullable(
      Type.Object(
        {
          source: Type.Optional(nullable(JsonFields('A query.'))),
          path: Type.Optional(nullable(Type.String({ maxLength: 64 * 1024 }))),
          method: Type.Optional(nullable(Type.String({ maxLength: 10 }))),
          body: Type.Optional(nullable(JsonFields('Of the request.'))),
          filename: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
          width: Type.Optional(nullable(Type.Integer({ minimum: 200, maximum: 4000 }))),
          height: Type.Optional(nullable(Type.Integer({ minimum: 150, maximum: 4000 }))),
          scale: Type.Optional(nullable(Type.Number({ minimum: 0.5, maximum: 4 }))),
          theme: Type.Optional(nullable(Type.Enum(['light', 'dark']))),
          bom: Type.Optional(nullable(Type.Boolean())),
          raw: Type.Optional(nullable(Type.Boolean())),
        },
        { description: CONTEXT_TEXT },
      ),
    ),
  ),
  expires_after: Type.Optional(
    nullable(Time('Must be in the future. Default: after 7 days for rows, 180 days for pictures.')),
  ),
})
