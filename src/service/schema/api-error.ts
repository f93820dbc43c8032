import * as Type from 'typebox'
import { nullable } from './types.ts'

/** The body of every 4xx and 5xx response: `ApiError` of `src/wire/error.ts`. */
export const ApiErrorSchema = Type.Object(
  {
    type: Type.Enum(
      [
        'validation_error',
        'authentication_error',
        'invalid_request',
        'server_error',
        'throttled_error',
        'quota_limited',
      ],
      { description: 'The category of the error.' },
    ),
    code: Type.String({
      description: 'A stable identifier of the exact cause, for programs.',
      examples: ['not_found'],
    }),
    detail: Type.String({ description: 'One sentence for people: what is wrong, and what is expected.' }),
    attr: nullable(Type.String(), { description: 'The invalid field, parameter or header.' }),
  },
  { $id: 'Error', description: 'Why a request failed.' },
)
