import { ImportError } from './import-error.ts'
import type { ImportFormat } from './row-parser.ts'

const FORMAT_BY_EXTENSION: Readonly<Record<string, ImportFormat>> = { ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv' }

/** Returns the format that a file name's extension stands for, with or without `.gz`; undefined for other extensions. */
export const formatFromName = (name: string): ImportFormat | undefined =>
  FORMAT_BY_EXTENSION[/\.(\w+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '']

/**
 * Returns the format of an input: the expected one, or else NDJSON if the first character is a brace, and CSV if not.
 *
 * @throws {ImportError} `wrong_format` if the first bytes show that the input is neither.
 */
export const detectFormat = (head: Uint8Array, expected: ImportFormat | undefined): ImportFormat => {
  const start = Buffer.from(head)
    .toString()
    .replace(/^\uFEFF/, '')
  const fail = (problem: string): never => {
    throw new ImportError('wrong_format', problem)
  }
  if (start.startsWith('PK')) fail('The input is a zip archive. Unpack it first, or use gzip.')
  if (start.includes('\0')) fail('The input is not UTF-8 text. Convert it first, for example with iconv.')
  const firstCharacter = /\S/.exec(start)?.[0]
  if (firstCharacter === '[' && expected !== 'csv') {
    fail('The input is a JSON array. Write one object per line: jq -c ".[]" events.json | waymark import - …')
  }
  return expected ?? (firstCharacter === '{' ? 'ndjson' : 'csv')
}
