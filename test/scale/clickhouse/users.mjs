/**
 * The users of the server. chDB has none, so that statements about them are answered here: `CREATE USER … IDENTIFIED WITH
 * plaintext_password | sha256_password BY '…'`, `ALTER USER` with the same, `GRANT` and `DROP USER`. Rights are not checked.
 */
export const createUsers = (administrator, password) => {
  const passwords = new Map([[administrator, password]])
  return {
    isKnown: ({ user, password: given }) => passwords.get(user) === given,
    /** Whether it was a statement about users, which is then done. */
    run(sql) {
      const [, name, secret] =
        /^\s*(?:CREATE|ALTER)\s+USER\s+(?:OR REPLACE\s+|IF NOT EXISTS\s+|IF EXISTS\s+)?[`"]?(\w+)[`"]?\s[\s\S]*?IDENTIFIED\s+WITH\s+\w+\s+BY\s+'([^']*)'/i.exec(
          sql,
        ) ?? []
      if (name !== undefined) passwords.set(name, secret)
      return /^\s*(CREATE\s+USER|ALTER\s+USER|DROP\s+USER|GRANT|REVOKE)\b/i.test(sql)
    },
  }
}
