import { USAGE_ERROR } from '../exit-code.ts'
import { IMPORT_HELP } from '../help.ts'
import { parseArguments } from './parse-arguments.ts'
import { runImport } from './run-import.ts'

/** Runs `waymark import` and returns its exit code. */
export const runImportCommand = async (args: readonly string[]): Promise<number> => {
  const command = parseArguments(args)
  const { stdout, stderr } = process
  if (command.kind === 'import') return runImport(command)
  if (command.kind === 'invalid') {
    stderr.write(`waymark import: ${command.problem}\nSee waymark import --help.\n`)
    return USAGE_ERROR
  }
  stdout.write(IMPORT_HELP)
  return 0
}
