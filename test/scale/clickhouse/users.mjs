import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** What every user of ClickHouse may read. */
const PUBLIC = new Set(['system.one', 'system.numbers', 'numbers()'])

/**
 * The users of the server. chDB has none, so that statements about them are answered here: `CREATE USER … IDENTIFIED WITH
 * plaintext_password | sha256_password BY '…'`, `ALTER USER` with the same, `GRANT SELECT ON` a table, and `DROP USER`. Other rights than
 * these nobody has but the administrator.
 *
 * @param file Keeps them when the server is started again.
 */
export const createUsers = (administrator, password, file) => {
  const stored = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passwords: [], grants: [] }
  const passwords = new Map([...stored.passwords, [administrator, password]])
  /** The tables that each user may read, as `database.table`. */
  const grants = new Map(stored.grants.map(([name, tables]) => [name, new Set(tables)]))
  const save = () =>
    writeFileSync(
      file,
      JSON.stringify({
        passwords: [...passwords],
        grants: Array.from(grants, ([name, tables]) => [name, [...tables]]),
      }),
    )
  return {
    isKnown: ({ user, password: given }) => passwords.get(user) === given,
    changePassword: (next) => passwords.set(administrator, next),
    isAdministrator: ({ user }) => user === administrator,
    /** The first of these tables and table functions that a user may not read; undefined if there is none. */
    findForbidden: (user, sources) => sources.find((source) => !PUBLIC.has(source) && !grants.get(user)?.has(source)),
    /** Whether it was a statement about users, which is then done. */
    run(sql) {
      const [, name, secret] =
        /^\s*(?:CREATE|ALTER)\s+USER\s+(?:OR REPLACE\s+|IF NOT EXISTS\s+|IF EXISTS\s+)?[`"]?(\w+)[`"]?\s[\s\S]*?IDENTIFIED\s+WITH\s+\w+\s+BY\s+'([^']*)'/i.exec(
          sql,
        ) ?? []
      if (name !== undefined) passwords.set(name, secret)
      const [, source, grantee] = /^\s*GRANT\s+SELECT\s+ON\s+(\S+)\s+TO\s+`(\w+)`/i.exec(sql) ?? []
      if (source !== undefined) {
        const granted = grants.get(grantee) ?? new Set()
        grants.set(grantee, granted.add(source.replaceAll('`', '')))
      }
      const [, dropped] = /^\s*DROP\s+USER\s+[`"]?(\w+)/i.exec(sql) ?? []
      if (dropped !== undefined) {
        passwords.delete(dropped)
        grants.delete(dropped)
      }
      if ([name, source, dropped].some((each) => each !== undefined)) save()
      return /^\s*(CREATE\s+USER|ALTER\s+USER|DROP\s+USER|GRANT|REVOKE)\b/i.test(sql)
    },
  }
}
