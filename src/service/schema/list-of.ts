import * as Type from 'typebox'
import type { Static, TSchema, TUnsafe } from 'typebox'
import { nullable } from './types.ts'

/** A list in the form of the management API. */
export interface ListBody<Item> {
  /** Number of items on all pages. */
  readonly count: number
  /** URLs of the next and the previous page; null without one. */
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Item[]
}

/** One page of a list. */
export const ListOf = <Item extends TSchema>(item: Item): TUnsafe<ListBody<Static<Item>>> =>
  Type.Object(
    {
      count: Type.Integer({ minimum: 0, description: 'Number of items on all pages.', examples: [1] }),
      next: nullable(Type.String({ format: 'uri' }), { description: 'URL of the next page.' }),
      previous: nullable(Type.String({ format: 'uri' }), { description: 'URL of the previous page.' }),
      results: Type.Array(item),
    },
    { description: 'One page of the list.' },
  ) as unknown as TUnsafe<ListBody<Static<Item>>>

/** A list whose items are not counted: that would take longer than to read a page. */
export type UncountedListBody<Item> = Omit<ListBody<Item>, 'count'>

/** One page of such a list. */
export const UncountedListOf = <Item extends TSchema>(item: Item): TUnsafe<UncountedListBody<Static<Item>>> =>
  Type.Object(
    {
      next: nullable(Type.String({ format: 'uri' }), { description: 'URL of the next page.' }),
      previous: nullable(Type.String({ format: 'uri' }), {
        description: 'URL of the previous page; null where pages are only read forwards.',
      }),
      results: Type.Array(item),
    },
    { description: 'One page of the list.' },
  ) as unknown as TUnsafe<UncountedListBody<Static<Item>>>

/** The query parameters that select a page. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 100,
      description: 'Items on a page; more than 1000 means 1000.',
      'x-error-code': 'invalid_page',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Number of items before the page.',
      'x-error-code': 'invalid_page',
    }),
  ),
}
