import { sql } from 'kysely'
import type { Insertable, Kysely, SelectExpression } from 'kysely'
import type { Metadata } from './open.ts'
import type { SavedColumns } from './saved-columns.ts'
import type { Database } from './schema.ts'

/** Who changes something, and when (milliseconds since 1970). */
export interface Author {
  readonly userId: number
  readonly now: number
}

/** What the store adds to something that users save and change. */
export interface SavedItem {
  readonly id: number
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Id of a user; null if the user was removed. */
  readonly createdBy: number | null
  /** Milliseconds since 1970. */
  readonly lastModifiedAt: number
  /** Id of a user; null if the user was removed. */
  readonly lastModifiedBy: number | null
}

/** The columns of `SavedItem`. */
export const SAVED_COLUMNS = [
  'id',
  'version',
  'created_at as createdAt',
  'created_by as createdBy',
  'last_modified_at as lastModifiedAt',
  'last_modified_by as lastModifiedBy',
] as const

type TableName = 'insights' | 'playlists' | 'dashboards'

/** The columns that the creator of an item sets. */
type NewColumns<Table extends TableName> = Omit<
  Insertable<Database[Table]>,
  Exclude<keyof SavedColumns, 'project_id' | 'deleted'>
>

/** A table of saved items. */
export interface SavedTable<Table extends TableName, Row, Item> {
  readonly table: Table
  /** The columns of a `Row`. */
  readonly columns: readonly SelectExpression<Database, Table>[]
  readonly parseRow: (row: Row) => Item
}

/** Finds and writes the items of one table, deleted ones too. */
export interface SavedItems<Table extends TableName, Item> {
  /** Finds the item of a project with this value in a unique column. */
  find(
    metadata: Metadata,
    projectId: number,
    column: 'id' | 'short_id',
    value: number | string,
  ): Promise<Item | undefined>
  create(metadata: Metadata, columns: NewColumns<Table>, author: Author): Promise<Item>
  /** Replaces these columns of an item, and increments its version. Call it inside a transaction. */
  update(transaction: Metadata, id: number, columns: Partial<NewColumns<Table>>, author: Author): Promise<Item>
}

/** Any of the tables: this file names only columns that they share. */
type AnyTable = Kysely<{ saved: SavedColumns & { short_id: string } }>

export const createSavedItems = <Table extends TableName, Row, Item>({
  table,
  columns,
  parseRow,
}: SavedTable<Table, Row, Item>): SavedItems<Table, Item> => {
  const open = (metadata: Metadata): AnyTable => metadata as unknown as AnyTable
  const name = table as unknown as 'saved'
  const selected = columns as unknown as readonly 'id'[]
  const parse = (row: object): Item => parseRow(row as Row)
  return {
    async find(metadata, projectId, column, value) {
      const ofProject = open(metadata).selectFrom(name).where('project_id', '=', projectId)
      const row = await ofProject.where(column, '=', value).select(selected).executeTakeFirst()
      return row && parse(row)
    },
    async create(metadata, values, { userId, now }) {
      const authorship = { created_at: now, created_by: userId, last_modified_at: now, last_modified_by: userId }
      const row = { ...values, ...authorship, version: 1 } as unknown as Insertable<SavedColumns & { short_id: string }>
      return parse(await open(metadata).insertInto(name).values(row).returning(selected).executeTakeFirstOrThrow())
    },
    async update(transaction, id, values, { userId, now }) {
      const authorship = { last_modified_at: now, last_modified_by: userId }
      const update = open(transaction)
        .updateTable(name)
        .set({ ...values, ...authorship, version: sql<number>`version + 1` })
      return parse(await update.where('id', '=', id).returning(selected).executeTakeFirstOrThrow())
    },
  }
}
