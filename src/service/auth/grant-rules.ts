import { forbidden } from '../http-error.ts'
import type { PersonalApiKeyFields } from '../store/metadata/keys.ts'
import { ALL_SCOPES } from '../permission/scopes.ts'

const isWithin = <Item>(limits: readonly Item[], own: readonly Item[]): boolean =>
  own.length === 0 || (limits.length > 0 && limits.every((each) => own.includes(each)))

/** Whether a key reaches only projects and organisations that another key reaches, too. A limited key sees no other keys. */
export const isWithinLimits = (
  { projectIds, organizationIds }: PersonalApiKeyFields,
  { projectIds: ownProjectIds, organizationIds: ownOrganizationIds }: PersonalApiKeyFields,
): boolean => isWithin(projectIds, ownProjectIds) && isWithin(organizationIds, ownOrganizationIds)

/**
 * Throws `HttpError` (403) for a key that can do more, or for longer, than `own`, the key of the request. A key neither makes
 * such keys nor changes or revokes them.
 */
export const requireWithinKey = (
  { scopes, projectIds, organizationIds, expiresAt }: PersonalApiKeyFields,
  own: PersonalApiKeyFields,
): void => {
  const missing = own.scopes.includes(ALL_SCOPES) ? undefined : scopes.find((scope) => !own.scopes.includes(scope))
  if (missing !== undefined)
    throw forbidden(
      'permission_denied',
      `Your key lacks the scope "${missing}", so it cannot create, change or revoke keys that have it.`,
      'scopes',
    )
  if (!isWithin(projectIds, own.projectIds))
    throw forbidden('permission_denied', 'Your key is limited to some projects; name only those.', 'scoped_teams')
  if (!isWithin(organizationIds, own.organizationIds))
    throw forbidden(
      'permission_denied',
      'Your key is limited to some organisations; name only those.',
      'scoped_organizations',
    )
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt))
    throw forbidden(
      'permission_denied',
      `Your key expires on ${new Date(own.expiresAt).toISOString()}; it cannot create, change or revoke keys that last longer.`,
      'expires_at',
    )
}
