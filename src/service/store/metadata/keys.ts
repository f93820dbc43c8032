import { createHash, randomBytes } from 'node:crypto'
import type { Metadata } from './open.ts'

/** The permissions of a personal API key. */
export const SCOPES = [
  'query:read',
  'feature_flag:read',
  'feature_flag:write',
  'cohort:read',
  'cohort:write',
  'early_access_feature:read',
  'early_access_feature:write',
  'survey:read',
  'survey:write',
] as const
export type Scope = (typeof SCOPES)[number]

/** A secret key of a user or program, for one project. The key itself is only shown when it is created. */
export interface PersonalApiKey {
  readonly id: number
  readonly projectId: number
  readonly label: string
  /** The first characters of the key, so that users can distinguish their keys. */
  readonly hint: string
  readonly scopes: readonly Scope[]
}

/** The input of `createPersonalApiKey`. */
export interface NewPersonalApiKey {
  readonly projectId: number
  readonly label: string
  readonly scopes: readonly Scope[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Creates a key of the form `wmx_` and 43 characters. The plain key is returned only here; the store keeps its hash. */
export const createPersonalApiKey = async (
  metadata: Metadata,
  { projectId, label, scopes, now }: NewPersonalApiKey,
): Promise<{ readonly key: string } & PersonalApiKey> => {
  const key = `wmx_${randomBytes(32).toString('base64url')}`
  const hint = key.slice(0, 8)
  const { id } = await metadata
    .insertInto('personal_api_keys')
    .values({
      project_id: projectId,
      label,
      hash: hashApiKey(key),
      hint,
      scopes: JSON.stringify(scopes),
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { key, id, projectId, label, hint, scopes }
}

/** All personal API keys of all projects, oldest first. */
export const listPersonalApiKeys = async (metadata: Metadata): Promise<PersonalApiKey[]> => {
  const rows = await metadata.selectFrom('personal_api_keys').selectAll().orderBy('id').execute()
  return rows.map(parseKeyRow)
}

export const findPersonalApiKey = async (metadata: Metadata, key: string): Promise<PersonalApiKey | undefined> => {
  const row = await metadata
    .selectFrom('personal_api_keys')
    .selectAll()
    .where('hash', '=', hashApiKey(key))
    .executeTakeFirst()
  return row && parseKeyRow(row)
}

const parseKeyRow = (row: {
  id: number
  project_id: number
  label: string
  hint: string
  scopes: string
}): PersonalApiKey => {
  const scopes: Scope[] = JSON.parse(row.scopes)
  return { id: row.id, projectId: row.project_id, label: row.label, hint: row.hint, scopes }
}

const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex')
