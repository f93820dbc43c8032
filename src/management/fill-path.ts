/** The values of a query; undefined and null are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Replaces the `{names}` in a path by values, and adds a query. Throws `TypeError` if a value is missing. */
export const fillPath = (path: string, values: Readonly<Record<string, unknown>>, query: QueryValues = {}): string => {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    // "." and ".." would change the path, even percent-encoded.
    if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${name}" of the path ${path} is missing or cannot be an id.`)
    return encodeURIComponent(text)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  const queryString = search.toString()
  return queryString === '' ? filled : `${filled}?${queryString}`
}
