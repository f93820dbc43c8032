import { VERSION } from '../wire/version.ts'
import { runApiCommand } from './api/run-api-command.ts'
import { SUCCESS, USAGE_ERROR } from './exit-code.ts'
import { HELP } from './help.ts'
import { runImportCommand } from './import/run-import-command.ts'
import { runQueryCommand } from './query/run-query-command.ts'
import { runTypesCommand } from './types/run-types-command.ts'

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  import: runImportCommand,
  query: runQueryCommand,
  api: runApiCommand,
  types: runTypesCommand,
}

/** Runs the command `waymark` and returns its exit code. */
export const main = async ([name = '--help', ...args]: readonly string[]): Promise<number> => {
  const { stdout, stderr } = process
  stdout.on('error', exitWhenPipeCloses)
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!(args)
  if (['--help', '-h'].includes(name)) stdout.write(HELP)
  else if (['--version', '-v'].includes(name)) stdout.write(`${VERSION}\n`)
  else {
    stderr.write(`waymark: There is no command "${name}".\nSee waymark --help.\n`)
    return USAGE_ERROR
  }
  return SUCCESS
}

/** The reader of a pipe may end first: `waymark query … | head`. */
const exitWhenPipeCloses = (error: Error): void => {
  if ('code' in error && error.code === 'EPIPE') process.exit()
  throw error
}
