import type { TProperties, TSchema } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import type { Transact } from '../auth/authorize.ts'
import type { Scope } from '../permission/scopes.ts'
import type { Page, PageOf } from '../store/metadata/page.ts'

/** A resource type of the management API, for `addResource`. All methods throw `HttpError`. */
export interface Resource {
  /** The part of the URL path after the project id. */
  readonly path: string
  /** Keys need `<scope>:read` to read and `<scope>:write` to change. */
  readonly scope: 'feature_flag' | 'cohort' | 'early_access_feature' | 'survey'
  readonly description: ResourceDescription
  /** @param query The parameters of `listQuery`; others are not checked. */
  readonly list: (projectId: number, page: Page, query: JsonObject) => Promise<PageOf<object>>
  readonly items: ResourceItems
}

/** What the OpenAPI document says about a resource. Its schemas also shape the responses. */
export interface ResourceDescription {
  /** One item, in words: `feature flag`. */
  readonly noun: string
  /** The `id` in paths. */
  readonly id: string
  readonly item: TSchema
  /** Query parameters of the list, besides those of a page. */
  readonly listQuery?: TProperties
  readonly create: TSchema
  /** Undefined for items that cannot be changed. */
  readonly change?: TSchema
}

/** Throws `HttpError` (403) unless the key of the request also has this scope. */
export type RequireScope = (scope: Scope) => void

/** A request that changes a project. */
export interface ChangeRequest {
  readonly projectId: number
  /** Every change runs in this transaction, which checks the caller again. */
  readonly transact: Transact
  readonly requireScope: RequireScope
}

/** Operations on single items. `id` is the string in the URL path. */
export interface ResourceItems {
  readonly create: (request: ChangeRequest, body: JsonObject) => Promise<object>
  readonly read: (projectId: number, id: string) => Promise<object>
  /** Changes the fields that the body contains. Undefined for items that cannot be changed. */
  readonly update?: (request: ChangeRequest, id: string, body: JsonObject) => Promise<object>
  readonly remove: (request: ChangeRequest, id: string) => Promise<void>
}
