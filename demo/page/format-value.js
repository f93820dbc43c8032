/** Formats a value as JavaScript source; functions, promises and times as what a reader wants to know of them. */
export const formatValue = (value) => {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'function') return '() => { … }'
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Promise) return 'a promise'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item)).join(', ')}]`
  const members = Object.entries(value).map(([key, item]) => `${formatKey(key)}: ${formatValue(item)}`)
  return members.length ? `{ ${members.join(', ')} }` : '{}'
}

const formatKey = (key) => (/^[a-z_$][\w$]*$/i.test(key) ? key : `'${key}'`)
