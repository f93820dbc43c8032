/** How SQL of members is read and written for an engine. */
export interface SqlSyntax {
  /** Reads what is no space and no comment; a string is one token. */
  readonly readTokens: (sql: string) => Iterable<{ readonly text: string; readonly start: number }>
  /** Writes any string as one token, or as several in parentheses. */
  readonly quoteString: (string: string) => string
}
