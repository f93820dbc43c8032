import type { ResultTable } from './result-table.ts'

/** Formats rows as one JSON object per line. A further column of the same name gets a number: `count`, `count_2`. */
export const formatNdjson = ({ columns, results }: ResultTable): string => {
  const formatRow = createJsonRowFormatter(columns)
  return results.map((row) => `${formatRow(row)}\n`).join('')
}

/** Creates a function that formats a row as a JSON object. Names are as in `formatNdjson`. */
export const createJsonRowFormatter = (columns: readonly string[]): ((row: readonly unknown[]) => string) => {
  const names = distinguish(columns)
  return (row) => `{${names.map((name, index) => formatField(name, row[index])).join()}}`
}

/** Written by hand, because an object puts names such as "1" first. */
const formatField = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`

const distinguish = (columns: readonly string[]): readonly string[] => {
  const taken = new Set(columns)
  const seen = new Set<string>()
  return columns.map((column) => {
    let name = column
    for (let number = 2; seen.has(name) || (name !== column && taken.has(name)); number++) name = `${column}_${number}`
    seen.add(name)
    return name
  })
}
