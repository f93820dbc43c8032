import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { handleInterrupts } from './handle-interrupts.ts'
import { ManagementError } from '../management/management-error.ts'
import { FAILURE, INTERRUPTED, SUCCESS, USAGE_ERROR } from './exit-code.ts'
import { UsageError } from './usage-error.ts'

/** One command of `waymark`. */
export interface CommandDefinition<Options extends NonNullable<ParseArgsConfig['options']>> {
  readonly name: string
  readonly help: string
  readonly options: Options
  /** Does the work, and returns what to print. Throws `UsageError` and `ManagementError`. */
  readonly run: (parsed: ParsedArguments<Options>, signal: AbortSignal) => Promise<string>
}

/** The options and the positional arguments of a command line. */
export type ParsedArguments<Options extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>

/** Runs a command with its arguments, prints its output or its error, and returns its exit code. */
export const runCommand = async <Options extends NonNullable<ParseArgsConfig['options']>>(
  { name, help, options, run }: CommandDefinition<Options>,
  args: readonly string[],
): Promise<number> => {
  const { stdout, stderr } = process
  const interrupts = handleInterrupts(() => undefined)
  try {
    const parsed = parse(args, options)
    stdout.write('help' in parsed.values ? help : await run(parsed, interrupts.signal))
    return SUCCESS
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`waymark ${name}: ${error.message}\nSee waymark ${name} --help.\n`)
      return USAGE_ERROR
    }
    if (interrupts.signal.aborted) return INTERRUPTED
    if (!(error instanceof ManagementError)) throw error
    stderr.write(`waymark ${name}: ${describe(error)}\n`)
    return FAILURE
  } finally {
    interrupts.removeHandlers()
  }
}

const parse = <Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
): ParsedArguments<Options> => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // The messages name options, never their values.
    throw new UsageError((error as Error).message)
  }
}

const describe = ({ status, code, detail }: ManagementError): string =>
  `${detail} (${status === null ? code : `${status} ${code}`})`
