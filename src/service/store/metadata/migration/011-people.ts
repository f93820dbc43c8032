import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'

/**
 * Adds users, organisations and memberships. What existed before belongs to one organisation with one owner, and the keys are
 * the owner's. A new data folder starts with the same two, so every installation has an organisation and an owner.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await createTables(db)
  const now = Date.now()
  // The tables as they are after this migration; later migrations may change the types of the schema.
  const tables = db as Kysely<Record<string, Record<string, unknown>>>
  const organization_id = randomUUID()
  await tables
    .insertInto('organizations')
    .values({ id: organization_id, name: 'Organization', version: 1, created_at: now, updated_at: now })
    .execute()
  await tables
    .insertInto('users')
    .values({
      id: 1,
      uuid: randomUUID(),
      distinct_id: randomUUID(),
      // `.invalid` belongs to nobody (RFC 2606). The owner sets the real address.
      email: 'owner@waymark.invalid',
      first_name: '',
      last_name: '',
      is_email_verified: 0,
      hedgehog_config: '{}',
      role_at_organization: '',
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await tables
    .insertInto('organization_members')
    .values({ id: randomUUID(), organization_id, user_id: 1, level: 15, version: 1, joined_at: now, updated_at: now })
    .execute()

  for (const { id, created_at } of await tables.selectFrom('projects').select(['id', 'created_at']).execute())
    await tables
      .updateTable('projects')
      .set({ organization_id, uuid: randomUUID(), updated_at: created_at })
      .where('id', '=', id)
      .execute()
  for (const { project_id, ...key } of await tables.selectFrom('personal_api_keys_before').selectAll().execute())
    await tables
      .insertInto('personal_api_keys')
      .values({ ...key, user_id: 1, project_ids: JSON.stringify([project_id]), organization_ids: '[]', version: 1 })
      .execute()
  await db.schema.dropTable('personal_api_keys_before').execute()
}

const createTables = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('users')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (column) => column.notNull().unique())
    .addColumn('distinct_id', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('first_name', 'text', (column) => column.notNull())
    .addColumn('last_name', 'text', (column) => column.notNull())
    .addColumn('is_email_verified', 'integer', (column) => column.notNull())
    .addColumn('hedgehog_config', 'text', (column) => column.notNull())
    .addColumn('role_at_organization', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('organization_members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('joined_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('organization_members_key', ['organization_id', 'user_id'])
    .execute()
  await db.schema.createIndex('organization_members_user').on('organization_members').column('user_id').execute()

  await db.schema
    .createTable('project_members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('membership_id', 'text', (column) =>
      column.notNull().references('organization_members.id').onDelete('cascade'),
    )
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('joined_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('project_members_key', ['project_id', 'membership_id'])
    .execute()
  await db.schema.createIndex('project_members_membership').on('project_members').column('membership_id').execute()

  // Nullable, because SQLite cannot add a reference that is not null; the service sets it in every row.
  await db.schema
    .alterTable('projects')
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id').onDelete('cascade'))
    .execute()
  await db.schema.alterTable('projects').addColumn('uuid', 'text').execute()
  await db.schema.createIndex('projects_uuid').unique().on('projects').column('uuid').execute()
  await db.schema.createIndex('projects_organization').on('projects').column('organization_id').execute()
  await db.schema
    .alterTable('projects')
    .addColumn('is_private', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('projects')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema
    .alterTable('projects')
    .addColumn('updated_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()

  await db.schema.alterTable('personal_api_keys').renameTo('personal_api_keys_before').execute()
  await db.schema
    .createTable('personal_api_keys')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('project_ids', 'text', (column) => column.notNull())
    .addColumn('organization_ids', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('personal_api_keys_user').on('personal_api_keys').column('user_id').execute()
}
