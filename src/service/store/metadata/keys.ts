import { createHash, randomBytes } from 'node:crypto'
import type { Grant } from '../../permission/scopes.ts'
import type { Metadata } from './open.ts'

/** The fields of a personal API key that can change. */
export interface PersonalApiKeyFields {
  readonly label: string
  readonly scopes: readonly Grant[]
  /** The projects that the key is limited to; empty for all projects of its user. */
  readonly projectIds: readonly number[]
  /** The organisations that the key is limited to; empty for all organisations of its user. */
  readonly organizationIds: readonly string[]
  /** Milliseconds since 1970; null for a key that does not expire. */
  readonly expiresAt: number | null
}

/** A secret key with which a program acts for a user. The key itself is only shown when it is created. */
export interface PersonalApiKey extends PersonalApiKeyFields {
  readonly id: number
  readonly userId: number
  /** The first characters of the key, so that users can distinguish their keys. */
  readonly hint: string
  /** Milliseconds since 1970, rounded down to the minute; null before the first use. */
  readonly lastUsedAt: number | null
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** The input of `createPersonalApiKey`; fields without a value do not limit the key. */
export interface NewPersonalApiKey
  extends Pick<PersonalApiKeyFields, 'label' | 'scopes'>, Partial<Omit<PersonalApiKeyFields, 'label' | 'scopes'>> {
  readonly userId: number
  /** Milliseconds since 1970. */
  readonly now: number
}

const COLUMNS = [
  'id',
  'user_id as userId',
  'label',
  'hint',
  'scopes',
  'project_ids as projectIds',
  'organization_ids as organizationIds',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
  'version',
  'created_at as createdAt',
] as const

interface KeyRow extends Omit<PersonalApiKey, 'scopes' | 'projectIds' | 'organizationIds'> {
  readonly scopes: string
  readonly projectIds: string
  readonly organizationIds: string
}

// The JSON was written by `toColumns`.
const parseRow = (row: KeyRow): PersonalApiKey => ({
  ...row,
  scopes: JSON.parse(row.scopes) as Grant[],
  projectIds: JSON.parse(row.projectIds) as number[],
  organizationIds: JSON.parse(row.organizationIds) as string[],
})

const toColumns = ({ label, scopes, projectIds, organizationIds, expiresAt }: PersonalApiKeyFields) => {
  // SQLite stores NaN as NULL, which is a key that never expires.
  if (expiresAt !== null && !Number.isFinite(expiresAt)) throw new RangeError(`A key cannot expire at ${expiresAt}.`)
  return {
    label,
    scopes: JSON.stringify(scopes),
    project_ids: JSON.stringify(projectIds),
    organization_ids: JSON.stringify(organizationIds),
    expires_at: expiresAt,
  }
}

/** Creates a key of the form `wmx_` and 43 characters. The plain key is returned only here; the store keeps its hash. */
export const createPersonalApiKey = async (
  metadata: Metadata,
  { userId, now, projectIds = [], organizationIds = [], expiresAt = null, ...fields }: NewPersonalApiKey,
): Promise<{ readonly key: string } & PersonalApiKey> => {
  const key = `wmx_${randomBytes(32).toString('base64url')}`
  const row = await metadata
    .insertInto('personal_api_keys')
    .values({
      ...toColumns({ ...fields, projectIds, organizationIds, expiresAt }),
      user_id: userId,
      hash: hashApiKey(key),
      hint: key.slice(0, 8),
      last_used_at: null,
      version: 1,
      created_at: now,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { key, ...parseRow(row) }
}

const selectKeys = (metadata: Metadata) => metadata.selectFrom('personal_api_keys')

/** All personal API keys, oldest first; `userId` selects those of one user. */
export const listPersonalApiKeys = async (metadata: Metadata, userId?: number): Promise<PersonalApiKey[]> => {
  const rows = selectKeys(metadata).$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
  return (await rows.select(COLUMNS).orderBy('id').execute()).map(parseRow)
}

/** The key with this plain text. */
export const findPersonalApiKey = async (metadata: Metadata, key: string): Promise<PersonalApiKey | undefined> => {
  const row = await selectKeys(metadata).select(COLUMNS).where('hash', '=', hashApiKey(key)).executeTakeFirst()
  return row && parseRow(row)
}

export const findPersonalApiKeyById = async (metadata: Metadata, id: number): Promise<PersonalApiKey | undefined> => {
  const row = await selectKeys(metadata).select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && parseRow(row)
}

/** Replaces the changeable fields of a key. Call it inside a transaction. */
export const updatePersonalApiKey = async (
  transaction: Metadata,
  id: number,
  fields: PersonalApiKeyFields,
): Promise<void> => {
  await transaction
    .updateTable('personal_api_keys')
    .set((row) => ({ ...toColumns(fields), version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Records that a key was used. `minuteMs` is rounded down to the minute. */
export const recordKeyUse = async (metadata: Metadata, id: number, minuteMs: number): Promise<void> => {
  await metadata.updateTable('personal_api_keys').set({ last_used_at: minuteMs }).where('id', '=', id).execute()
}

/** Revokes a key. Every process reads keys for each request, so none accepts it afterwards. */
export const removePersonalApiKey = async (metadata: Metadata, id: number): Promise<boolean> => {
  const { numDeletedRows } = await metadata
    .deleteFrom('personal_api_keys')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex')
