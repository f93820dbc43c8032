import { parseArgs } from 'node:util'
import { messageOf } from '../../import/import-error.ts'
import type { ImportFormat } from '../../import/row-parser.ts'

/** A parsed command line. */
export type Command = { readonly kind: 'help' } | { readonly kind: 'invalid'; readonly problem: string } | ImportCommand

/** The options of `waymark import`. */
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
} as const

/** Parses the arguments of `waymark import`. */
export const parseArguments = (args: readonly string[]): Command => {
  try {
    return toCommand(parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }))
  } catch (error) {
    return invalid(messageOf(error))
  }
}

const invalid = (problem: string): Command => ({ kind: 'invalid', problem })

const toCommand = ({ values, positionals }: Arguments): Command => {
  const [file, ...extraArguments] = positionals
  if (values.help) return { kind: 'help' }
  if (file === undefined) return invalid('The file to import is missing. Use - for standard input.')
  if (extraArguments.length > 0)
    return invalid(`Only one file can be imported at a time; "${extraArguments[0]}" is one too many.`)
  return toImportCommand(file, values)
}

type Arguments = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>

const toImportCommand = (file: string, values: Arguments['values']): Command => {
  const { key, host, format, text: textColumns = [], rejects, journal, restart = false } = values
  const isDryRun = values['dry-run'] === true
  if (!isDryRun && key === undefined) return invalid('--key is missing: the project API key.')
  if (!isDryRun && host === undefined) return invalid('--host is missing: the URL of the service.')
  if (format !== undefined && format !== 'ndjson' && format !== 'csv') {
    return invalid(`--format must be ndjson or csv, not "${format}".`)
  }
  const maxRetries = values['max-retries']
  if (maxRetries !== undefined && !/^\d{1,9}$/.test(maxRetries)) {
    return invalid(`--max-retries must be a whole number, not "${maxRetries}".`)
  }
  if (journal !== undefined && values['no-journal']) {
    return invalid('--journal and --no-journal cannot be used together.')
  }
  // Standard input and pipes of the shell (/dev/fd/63) have no folder for the files of the import.
  const basePath = file === '-' || file.startsWith('/dev/') ? null : file
  const defaultJournal = basePath === null ? undefined : `${basePath}.waymark-import.json`
  const defaultRejects = basePath === null ? 'waymark-import.rejects.ndjson' : `${basePath}.rejects.ndjson`
  return {
    kind: 'import',
    path: file === '-' ? null : file,
    target: isDryRun || key === undefined || host === undefined ? null : { key, host },
    format,
    textColumns,
    rejects: rejects ?? (isDryRun ? undefined : defaultRejects),
    journal: values['no-journal'] ? undefined : (journal ?? defaultJournal),
    restart,
    maxRetries: maxRetries === undefined ? undefined : Number(maxRetries),
  }
}
