import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** Maximum number of cached statements. Each length of a list in a query makes another statement. */
const MAX_STATEMENTS = 200

/**
 * Wraps a database so that each SQL string is prepared once: preparing costs several times as much as reading one row. Read
 * all rows of a statement at once (`all`), because the next caller with the same SQL gets the same statement.
 */
export const cacheStatements = (database: SqliteDatabase): SqliteDatabase => {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare: (sql) => {
      const cached = statements.get(sql)
      if (cached) return cached
      const statement = database.prepare(sql)
      // Evicts the oldest; a statement in frequent use is soon cached again.
      if (statements.size === MAX_STATEMENTS) statements.delete(statements.keys().next().value!)
      statements.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}
