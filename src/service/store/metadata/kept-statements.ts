import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** Statements that are kept at most: lists make as many texts as they have lengths. */
const MOST_KEPT = 200

/**
 * A database that prepares each text of SQL once: preparing costs several times what it costs to read one row. Rows of a statement
 * must be read all at once (`all`), since the next who wants the same text gets the same statement.
 */
export const keepStatements = (database: SqliteDatabase): SqliteDatabase => {
  const kept = new Map<string, SqliteStatement>()
  return {
    prepare: (sql) => {
      const known = kept.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      // The oldest goes, whatever its use: what is used often is soon back.
      if (kept.size === MOST_KEPT) kept.delete(kept.keys().next().value!)
      kept.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}
