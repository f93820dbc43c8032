import type { JsonObject } from '../../wire/json.ts'
import type { Scope } from '../store/metadata/keys.ts'
import type { Page, PageOf } from '../store/metadata/stored-definition.ts'

/** One kind of thing that the management API keeps: what the routes of `addResource` do. Each throws `Refusal`. */
export interface Resource {
  /** The part of the path behind the project. */
  readonly path: string
  /** What a key needs: `<scope>:read` to look, `<scope>:write` to change. */
  readonly scope: 'feature_flag' | 'cohort' | 'early_access_feature' | 'survey'
  readonly list: (projectId: number, page: Page) => Promise<PageOf<object>>
  readonly items: ResourceItems
}

/** Throws `Refusal` (403) unless the key of the request has this scope, too. */
export type RequireScope = (scope: Scope) => void

/** What can be done to single things. `id` is as it stands in the path. */
export interface ResourceItems {
  readonly create: (projectId: number, body: JsonObject, demand: RequireScope) => Promise<object>
  readonly read: (projectId: number, id: string) => Promise<object>
  /** Changes the fields that the body names. Absent for what cannot be changed. */
  readonly update?: (projectId: number, id: string, body: JsonObject) => Promise<object>
  readonly remove: (projectId: number, id: string, demand: RequireScope) => Promise<void>
}
