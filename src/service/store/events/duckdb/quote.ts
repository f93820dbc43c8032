/** Quotes a name as an SQL identifier. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes a text as an SQL string. */
export const quoteString = (text: string): string => `'${text.replaceAll("'", "''")}'`
