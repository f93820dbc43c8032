import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { createProgram } from '../../../src/service/command/program.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** Returns a data folder, and a function that runs a command line on it and returns what it printed. */
export const createDataFolder = () => {
  const folder = join(createTempFolder(), 'data')
  const runCommand = async (...args: string[]): Promise<string[]> => {
    const lines: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
    onTestFinished(() => log.mockRestore())
    // Makes commander throw instead of printing and ending the process.
    const program = createProgram()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
    for (const command of program.commands) {
      command.exitOverride()
      for (const subcommand of command.commands) subcommand.exitOverride().configureOutput({ writeErr: () => {} })
    }
    await program.parseAsync(['--data-folder', folder, ...args], { from: 'user' })
    return lines
  }
  return { folder, runCommand }
}
