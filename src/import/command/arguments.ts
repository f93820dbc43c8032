import { parseArgs } from 'node:util'
import { messageOf } from '../import-error.ts'
import type { ImportFormat } from '../row-reader.ts'

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'help'; readonly of: 'waymark' | 'import' }
  | { readonly kind: 'version' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | ImportCommand

/** `waymark import`. */
export interface ImportCommand {
  readonly kind: 'import'
  /** Path of a file; null for standard input. */
  readonly path: string | null
  /** Null for a dry run. */
  readonly target: { readonly key: string; readonly host: string } | null
  readonly format: ImportFormat | undefined
  readonly textColumns: readonly string[]
  readonly rejects: string | undefined
  readonly journal: string | undefined
  readonly restart: boolean
  readonly maxRetries: number | undefined
}

const OPTIONS = {
  key: { type: 'string' },
  host: { type: 'string' },
  format: { type: 'string' },
  text: { type: 'string', multiple: true },
  rejects: { type: 'string' },
  journal: { type: 'string' },
  'no-journal': { type: 'boolean' },
  restart: { type: 'boolean' },
  'max-retries': { type: 'string' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Reads a command line. */
export const readArguments = (args: readonly string[]): Command => {
  try {
    return commandOf(parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }))
  } catch (error) {
    return wrong(messageOf(error))
  }
}

const wrong = (problem: string): Command => ({ kind: 'wrong', problem })

const commandOf = ({ values, positionals }: Arguments): Command => {
  const [name, file, ...more] = positionals
  if (values.version) return { kind: 'version' }
  if (values.help) return { kind: 'help', of: name === 'import' ? 'import' : 'waymark' }
  if (name === undefined) return { kind: 'help', of: 'waymark' }
  if (name !== 'import') return wrong(`There is no command "${name}".`)
  if (file === undefined) return wrong('Name a file to import, or - for standard input.')
  if (more.length > 0) return wrong(`One file at a time: what is "${more[0]}"?`)
  return importOf(file, values)
}

type Arguments = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>

const importOf = (file: string, values: Arguments['values']): Command => {
  const { key, host, format, text = [], rejects, journal, restart = false } = values
  const isDry = values['dry-run'] === true
  if (!isDry && key === undefined) return wrong('--key is missing: the project api key.')
  if (!isDry && host === undefined) return wrong('--host is missing: the address of the service.')
  if (format !== undefined && format !== 'ndjson' && format !== 'csv') {
    return wrong(`--format is ndjson or csv, not "${format}".`)
  }
  const maxRetries = values['max-retries']
  if (maxRetries !== undefined && !/^\d{1,9}$/.test(maxRetries)) {
    return wrong(`--max-retries is a whole number, not "${maxRetries}".`)
  }
  if (journal !== undefined && values['no-journal']) return wrong('--journal and --no-journal exclude each other.')
  // What has no place beside it: standard input, and pipes of the shell.
  const beside = file === '-' || file.startsWith('/dev/') ? null : file
  const journalBeside = beside === null ? undefined : `${beside}.waymark-import.json`
  const rejectsBeside = beside === null ? 'waymark-import.rejects.ndjson' : `${beside}.rejects.ndjson`
  return {
    kind: 'import',
    path: file === '-' ? null : file,
    target: isDry || key === undefined || host === undefined ? null : { key, host },
    format,
    textColumns: text,
    rejects: rejects ?? (isDry ? undefined : rejectsBeside),
    journal: values['no-journal'] ? undefined : (journal ?? journalBeside),
    restart,
    maxRetries: maxRetries === undefined ? undefined : Number(maxRetries),
  }
}
