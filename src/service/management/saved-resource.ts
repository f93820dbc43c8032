import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Metadata } from '../store/metadata/open.ts'
import type { Page, PageOf } from '../store/metadata/page.ts'
import type { Author, SavedItem } from '../store/metadata/saved-items.ts'
import type { RequireScope } from './resource.ts'

/**
 * Items that users save and change, for `addSavedResource`: each has an author and a version, and is deleted and restored by a PATCH of
 * `deleted`. All methods throw `HttpError`.
 */
export interface SavedResource<
  Item extends SavedItem,
  Fields extends object,
  Input extends TObject,
  ListQuery extends TProperties,
> {
  /** The part of the URL path after the project id; also the tag, and the beginning of the operation ids. */
  readonly path: string
  /** Keys need `<scope>:read` to read and `<scope>:write` to change. */
  readonly scope: 'insight' | 'dashboard' | 'session_recording_playlist'
  readonly description: SavedDescription<Input, ListQuery>
  /** One page without deleted items, in the form of the API. */
  readonly list: (request: SavedRequest, query: Static<TObject<ListQuery>>, page: Page) => Promise<PageOf<object>>
  /** Finds an item by the id in a path, also a deleted one. */
  readonly find: (metadata: Metadata, projectId: number, id: string | number) => Promise<Item | undefined>
  readonly create: (change: SavedChange<Input>) => Promise<Item>
  /** Applies a body to a stored item, and changes what belongs to the item but is not a field of it. */
  readonly apply: (change: SavedChange<Input>, stored: Item) => Promise<AppliedBody<Fields>>
  readonly update: (transaction: Metadata, id: number, fields: Fields, author: Author) => Promise<Item>
  /** Called when a single item is read, before its body is made. Default: nothing. */
  readonly onRead?: (item: Item) => Promise<void>
  /** An item in the form of the API. */
  readonly toBody: (request: SavedRequest, item: Item) => Promise<object>
}

/** What the OpenAPI document says about items. Its schemas also check the requests. */
export interface SavedDescription<Input extends TObject, ListQuery extends TProperties> {
  /** One item, in words: `an insight`. */
  readonly item: string
  /** The short form of it, where the long one would be repeated: `a playlist`. Default: the same. */
  readonly shortItem?: string
  readonly id: { readonly name: 'id' | 'short_id'; readonly schema: TSchema }
  readonly schema: TSchema
  /** An item in a list. */
  readonly listedSchema: TSchema
  readonly input: Input
  readonly change: TObject
  /** The query parameters of the list, besides those of pages. */
  readonly listQuery: ListQuery
  /** The query parameters of a single item. Default: none. */
  readonly readQuery?: TObject
  readonly summaries: { readonly list: string; readonly read: string; readonly change: string }
  /** The operation id of a change ends with it. */
  readonly changeOperation: 'update' | 'partial_update'
}

/** A request for saved items of a project. */
export interface SavedRequest {
  readonly projectId: number
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The query parameter of that name, where the route has one. */
  readonly refresh?: string | undefined
}

/** A request that creates or changes a saved item, in its transaction. */
export interface SavedChange<Input extends TObject> {
  readonly transaction: Metadata
  readonly projectId: number
  readonly body: Static<Input>
  readonly author: Author
  readonly requireScope: RequireScope
}

export interface AppliedBody<Fields> {
  readonly fields: Fields
  /** Whether something has changed that is not a field. Default: no. */
  readonly hasOtherChanges?: boolean
}
