import { ImportError } from './import-error.ts'
import type { ImportFormat } from './row-reader.ts'

const EXTENSIONS: Readonly<Record<string, ImportFormat>> = { ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv' }

/** The format that the name of a file tells, `.gz` aside; undefined for names that tell none. */
export const formatOfName = (name: string): ImportFormat | undefined =>
  EXTENSIONS[/\.(\w+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '']

/** The format that the first bytes of an input tell: NDJSON begins with a brace. Throws `ImportError` for what is neither NDJSON nor CSV. */
export const formatOfHead = (head: Uint8Array, given: ImportFormat | undefined): ImportFormat => {
  const text = Buffer.from(head)
    .toString()
    .replace(/^\uFEFF/, '')
  const fail = (problem: string): never => {
    throw new ImportError('wrong_format', problem)
  }
  if (text.startsWith('PK')) fail('The input is a zip archive. Unpack it first, or use gzip.')
  if (text.includes('\0')) fail('The input is no text in UTF-8. Convert it first (iconv).')
  const first = /\S/.exec(text)?.[0]
  if (first === '[' && given !== 'csv') {
    fail('The input is a JSON array. Make it one object in each line: jq -c ".[]" events.json | waymark import - …')
  }
  return given ?? (first === '{' ? 'ndjson' : 'csv')
}
