/** A constant path in a call such as `properties->>'plan'`. */
export interface PropertyPath {
  /** The property. */
  readonly key: string
  /** The path inside the value of the property; null for the value itself. */
  readonly inner: string | null
  /** The path in a form that DuckDB reads as this path. */
  readonly jsonPath: string
}

/**
 * Parses a path as DuckDB's JSON functions do: the name of a property, a JSONPath from `$`, or a JSON Pointer from `/`. A name
 * such as `$browser` is a property, too; DuckDB would refuse it as a JSONPath. Null for a path that names no single property.
 */
export const parsePropertyPath = (path: string): PropertyPath | null => {
  if (isMistakenPath(path)) return { key: path, inner: null, jsonPath: quotePath(path) }
  if (path.startsWith('$')) return parseJsonPath(path)
  if (path.startsWith('/')) return parsePointer(path)
  // DuckDB reads a name with quotation marks as a JSON Pointer.
  return path === '' || path.includes('"') ? null : { key: path, inner: null, jsonPath: path }
}

/** Whether a text begins like a JSONPath and is none: the name of a property such as `$browser`. */
export const isMistakenPath = (path: string): boolean => /^\$[^.[*"]/.test(path) && !path.includes('"')

/** The JSONPath of a property; its name must not contain a quotation mark. */
const quotePath = (name: string): string => `$."${name}"`

const parseJsonPath = (path: string): PropertyPath | null => {
  if (path.includes('*')) return null
  const match = /^\$\.(?:"([^"\\]+)"|([^."[\]\\]+))(.*)$/s.exec(path)
  if (match === null) return null
  const [, quoted, plain = '', rest] = match
  return { key: quoted ?? plain, inner: rest === '' ? null : `$${rest}`, jsonPath: path }
}

const parsePointer = (path: string): PropertyPath | null => {
  const [, name = '', ...rest] = path.split('/')
  if (name === '' || name.includes('~')) return null
  return { key: name, inner: rest.length === 0 ? null : `/${rest.join('/')}`, jsonPath: path }
}
