import type { Level } from '../permission/levels.ts'
import type { Scope } from '../permission/scopes.ts'

/** Who may call a route of the management API. Every route declares it, and one hook enforces it. */
export type Access =
  /** Everyone. */
  | { readonly kind: 'public' }
  /** Everyone with the project API key, which is public; it is in the query. The handler checks it. */
  | { readonly kind: 'projectKey' }
  /**
   * A personal API key with this scope. A path with `:project_id` or `:organization_id` needs access to that project or
   * organisation, and there at least this level; default 1, every member. A key that is limited to projects changes nothing
   * outside the paths of those projects, unless the route `checksLimits` itself.
   */
  | { readonly kind: 'personalKey'; readonly scope: Scope; readonly level?: Level; readonly checksLimits?: boolean }
