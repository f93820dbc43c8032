import { createClient } from '../../management/client.ts'
import type { QueryResult } from '../../management/schema.ts'
import { formatCsv } from '../../wire/result/format-csv.ts'
import type { ResultTable } from '../../wire/result/result-table.ts'
import { formatNdjson } from '../../wire/result/format-ndjson.ts'
import { QUERY_HELP } from '../help.ts'
import { readStandardInput } from '../read-input.ts'
import { runCommand } from '../run-command.ts'
import { readServiceOptions, SERVICE_OPTIONS } from '../service-options.ts'
import { UsageError } from '../usage-error.ts'
import { formatTable } from './format-table.ts'
import { createProgressLine } from './progress-line.ts'

const formatCsvForPipes = (table: ResultTable): string => formatCsv(table, '\n')

const FORMATTERS = { table: formatTable, csv: formatCsvForPipes, ndjson: formatNdjson }

type Format = keyof typeof FORMATTERS

/** Runs `waymark query` and returns its exit code. */
export const runQueryCommand = (args: readonly string[]): Promise<number> =>
  runCommand(
    {
      name: 'query',
      help: QUERY_HELP,
      options: { ...SERVICE_OPTIONS, format: { type: 'string' } },
      run: async ({ values, positionals }, signal) => {
        const format = readFormat(values.format)
        const options = readServiceOptions(values, process.env)
        const sql = await readSql(positionals)
        const progress = createProgressLine(process.stderr)
        try {
          const result = await createClient(options).waitForQuery({ sql }, { signal, onProgress: progress.show })
          progress.end()
          warnOfMissingRows(result)
          return FORMATTERS[format](result)
        } finally {
          progress.end()
        }
      },
    },
    args,
  )

const readFormat = (input: string = process.stdout.isTTY ? 'table' : 'ndjson'): Format => {
  if (Object.hasOwn(FORMATTERS, input)) return input as Format
  throw new UsageError(`--format must be table, csv or ndjson, not "${input}".`)
}

const readSql = async ([sql, ...others]: readonly string[]): Promise<string> => {
  if (sql === undefined) throw new UsageError('The SQL is missing. Use - for standard input.')
  if (others.length > 0) throw new UsageError('There is more than one argument. Put the SQL in quotes.')
  return sql === '-' ? readStandardInput() : sql
}

const warnOfMissingRows = ({ hasMore, results }: QueryResult): void => {
  if (hasMore) process.stderr.write(`waymark query: There are more rows; these are the first ${results.length}.\n`)
}
