/**
 * Says why DuckDB cannot keep a file at a path; null if it can. It takes what follows a "?" as the parameters of a URL, and puts the
 * write-ahead log before it, in another folder. Every other character is as good as a letter.
 */
export const findPathFault = (path: string): string | null =>
  path.includes('?') ? `has a "?", after which DuckDB would not find the files of the events` : null
