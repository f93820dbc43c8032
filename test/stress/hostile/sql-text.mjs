/**
 * Joins parts that are numbered.
 *
 * @param {number} count
 * @param {(index: number) => string} part
 */
export const listed = (count, part, separator = ', ') =>
  Array.from({ length: count }, (_, i) => part(i)).join(separator)

/**
 * Wraps an expression or a query again and again.
 *
 * @param {number} levels
 * @param {string} start
 * @param {(inner: string, level: number) => string} wrap
 */
export const nested = (levels, start, wrap) => {
  let sql = start
  for (let level = 0; level < levels; level++) sql = wrap(sql, level)
  return sql
}
