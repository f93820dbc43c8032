/** The resources of the management API that have scopes of their own. */
const SCOPE_OBJECTS = [
  'cohort',
  'dashboard',
  'early_access_feature',
  'event_definition',
  'export',
  'feature_flag',
  'group',
  'insight',
  'organization',
  'organization_member',
  'person',
  'personal_api_key',
  'project',
  'property_definition',
  'query',
  'session_recording_playlist',
  'survey',
  'user',
] as const

type ScopeObject = (typeof SCOPE_OBJECTS)[number]

/** The permission to read or to change one kind of resource. */
export type Scope = `${ScopeObject}:${'read' | 'write'}`

/** Every scope. `*` grants all of them, also those of later versions. */
export const SCOPES: readonly Scope[] = SCOPE_OBJECTS.flatMap(
  (object) => [`${object}:read`, `${object}:write`] as const,
)

export const ALL_SCOPES = '*'

/** What a key can hold. */
export type Grant = Scope | typeof ALL_SCOPES

/** Whether a key with these grants has a scope. */
export const hasScope = (grants: readonly Grant[], scope: Scope): boolean =>
  grants.includes(ALL_SCOPES) || grants.includes(scope)
