import { VERSION } from '../../wire/version.ts'
import { parseArguments } from './parse-arguments.ts'
import { HELP, IMPORT_HELP } from './help.ts'
import { runImport } from './run-import.ts'

/** The exit code for a command line with an error. */
const USAGE_ERROR = 2

/** Runs the command `waymark` and returns its exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  const command = parseArguments(args)
  const { stdout, stderr } = process
  if (command.kind === 'import') return runImport(command)
  if (command.kind === 'invalid') {
    stderr.write(`waymark: ${command.problem}\nSee waymark import --help.\n`)
    return USAGE_ERROR
  }
  if (command.kind === 'version') stdout.write(`${VERSION}\n`)
  else stdout.write(command.topic === 'import' ? IMPORT_HELP : HELP)
  return 0
}
