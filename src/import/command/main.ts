import { VERSION } from '../../wire/version.ts'
import { readArguments } from './arguments.ts'
import { HELP, IMPORT_HELP } from './help.ts'
import { runImport } from './run-import.ts'

/** The command line could not be understood. */
const WRONG = 2

/** Runs the command `waymark`; answers the exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  const command = readArguments(args)
  const { stdout, stderr } = process
  if (command.kind === 'import') return runImport(command)
  if (command.kind === 'wrong') {
    stderr.write(`waymark: ${command.problem}\nSee waymark import --help.\n`)
    return WRONG
  }
  if (command.kind === 'version') stdout.write(`${VERSION}\n`)
  else stdout.write(command.of === 'import' ? IMPORT_HELP : HELP)
  return 0
}
