/** Makes the JSON-safe value of a query's result (`QueryResult.rows`) of a value as ClickHouse writes it. */
export type ReadValue = (value: unknown) => unknown

const same: ReadValue = (value) => value

/** Integers are written as strings, so that no digit is lost. */
const readInteger: ReadValue = (value) => {
  const number = Number(value)
  return value === null || !Number.isSafeInteger(number) ? value : number
}

/** How values of a type are read. */
export const createReader = (type: string): ReadValue => {
  const [, wrapper, inner = ''] = /^(Nullable|LowCardinality|Array)\((.*)\)$/s.exec(type) ?? []
  if (wrapper === 'Array') {
    const read = createReader(inner)
    return read === same ? same : (value) => (value as readonly unknown[]).map(read)
  }
  if (wrapper !== undefined) return createReader(inner)
  return /^U?Int(64|128|256)$/.test(type) ? readInteger : same
}
