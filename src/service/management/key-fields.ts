import type { Static } from 'typebox'
import { requireWithinKey } from '../auth/grant-rules.ts'
import type { KeyHolder } from '../auth/caller.ts'
import { listOrganizationAccess } from '../auth/organization-access.ts'
import { listProjectAccess } from '../auth/project-access.ts'
import { MAX_TIME_MS } from '../../wire/bounds.ts'
import { parseIsoTime } from '../../wire/parse-iso-time.ts'
import { badRequest, conflict } from '../http-error.ts'
import { createPersonalApiKey, listPersonalApiKeys } from '../store/metadata/keys.ts'
import type { PersonalApiKeyFields } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { PersonalApiKeyChange, PersonalApiKeyInput } from './schema/personal-api-key.ts'

/** Most keys of one user: a program that creates a key at each run is stopped before the list becomes unreadable. */
const MAX_KEYS_PER_USER = 100

/**
 * Reads a time. The schema's format is wider than what computers can compare: it has suffixes such as `[Europe/Berlin]` and leap
 * seconds in the middle of a day. Throws `HttpError` (400).
 */
const parseExpiry = (value: string): number => {
  const time = parseIsoTime(value)
  if (time !== null && time <= MAX_TIME_MS) return time
  throw badRequest(
    'invalid_input',
    '"expires_at" must be an ISO 8601 time with its time zone, such as 2027-01-31T09:00:00Z.',
    'expires_at',
  )
}

/** Reads the fields of a body; those that it does not contain keep their value. Throws `HttpError` (400). */
export const readKeyFields = (
  body: Static<typeof PersonalApiKeyChange>,
  before: PersonalApiKeyFields,
): PersonalApiKeyFields => ({
  label: body.label ?? before.label,
  scopes: body.scopes ?? before.scopes,
  projectIds: body.scoped_teams ?? before.projectIds,
  organizationIds: body.scoped_organizations?.map((id) => id.toLowerCase()) ?? before.organizationIds,
  expiresAt:
    body.expires_at === undefined ? before.expiresAt : body.expires_at === null ? null : parseExpiry(body.expires_at),
})

/**
 * Throws `HttpError` (400) for new projects and organisations that the user may not see, and for a new expiry in the past.
 * What stays is not checked: a user may have lost a project that the key names, which gives the key no access.
 */
export const checkNewKeyFields = async (
  metadata: Metadata,
  holder: KeyHolder,
  { projectIds, organizationIds, expiresAt }: PersonalApiKeyFields,
  before: PersonalApiKeyFields,
  now: number,
): Promise<void> => {
  const projects = (await listProjectAccess(metadata, holder)).map((access) => access.project.id)
  const allowedProjects = new Set([...before.projectIds, ...projects])
  const project = projectIds.find((id) => !allowedProjects.has(id))
  if (project !== undefined)
    throw badRequest(
      'does_not_exist',
      `There is no project ${project} that the user of the key may see.`,
      'scoped_teams',
    )
  const organizations = (await listOrganizationAccess(metadata, holder)).map((access) => access.organization.id)
  const allowedOrganizations = new Set([...before.organizationIds, ...organizations])
  const organization = organizationIds.find((id) => !allowedOrganizations.has(id))
  if (organization !== undefined)
    throw badRequest(
      'does_not_exist',
      `There is no organisation ${organization} that the user of the key may see.`,
      'scoped_organizations',
    )
  if (expiresAt !== null && expiresAt !== before.expiresAt && expiresAt <= now)
    throw badRequest('invalid_input', '"expires_at" must be in the future.', 'expires_at')
}

/**
 * Creates a key of a user, for the API and for the command line. Throws `HttpError` (400, 403, 409). Call it inside a transaction.
 *
 * @param holder The user, and the key that creates the other one.
 * @param body Matches the schema `PersonalApiKeyInput`. A limited key creates keys with the same limits, unless the body narrows them.
 */
export const createKey = async (
  transaction: Metadata,
  holder: KeyHolder,
  body: Static<typeof PersonalApiKeyInput>,
  now: number,
): ReturnType<typeof createPersonalApiKey> => {
  const { user, key } = holder
  const fields = readKeyFields(body, { ...key, label: body.label, scopes: body.scopes })
  requireWithinKey(fields, key)
  await checkNewKeyFields(transaction, holder, fields, key, now)
  if ((await listPersonalApiKeys(transaction, user.id)).length >= MAX_KEYS_PER_USER)
    throw conflict('too_many_keys', `The user has ${MAX_KEYS_PER_USER} keys already. DELETE one that is not in use.`)
  const { label, scopes, projectIds, organizationIds, expiresAt } = fields
  return createPersonalApiKey(transaction, {
    label,
    scopes,
    projectIds,
    organizationIds,
    expiresAt,
    userId: user.id,
    now,
  })
}
