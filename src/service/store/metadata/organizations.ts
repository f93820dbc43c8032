import { randomUUID } from 'node:crypto'
import type { Metadata } from './open.ts'

/** The people who share projects. */
export interface Organization {
  /** A uuid. */
  readonly id: string
  readonly name: string
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

const COLUMNS = ['id', 'name', 'version', 'created_at as createdAt', 'updated_at as updatedAt'] as const

export const createOrganization = (metadata: Metadata, name: string, now: number): Promise<Organization> =>
  metadata
    .insertInto('organizations')
    .values({ id: randomUUID(), name, version: 1, created_at: now, updated_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()

/** All organisations, oldest first. There is always one: a migration creates it. */
export const listOrganizations = (metadata: Metadata): Promise<Organization[]> =>
  metadata.selectFrom('organizations').select(COLUMNS).orderBy('created_at').orderBy('id').execute()

export const findOrganization = (metadata: Metadata, id: string): Promise<Organization | undefined> =>
  metadata.selectFrom('organizations').select(COLUMNS).where('id', '=', id.toLowerCase()).executeTakeFirst()

/** The organisations with these ids, by id. */
export const loadOrganizations = async (
  metadata: Metadata,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Organization>> => {
  const rows = metadata.selectFrom('organizations').select(COLUMNS).where('id', 'in', ids)
  return new Map((await rows.execute()).map((organization) => [organization.id, organization]))
}

/** Changes the name of an organisation. Call it inside a transaction. */
export const renameOrganization = async (
  transaction: Metadata,
  id: string,
  name: string,
  now: number,
): Promise<void> => {
  await transaction
    .updateTable('organizations')
    .set((row) => ({ name, version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .execute()
}
