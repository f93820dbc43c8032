#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { addFlagCommands } from './command/flag.ts'
import { addKeyCommands } from './command/key.ts'
import { addProjectCommands } from './command/project.ts'
import { serve } from './command/serve.ts'
import { CONFIG_KEYS, ConfigError } from './config.ts'
import { StartError } from './data-folder.ts'

const program = new Command('waymark-service')
  .description('Product analytics and feature flags on one small machine.')
  .option('--data-folder <path>', 'folder that holds all data (default ".waymark")')

const serveCommand = program
  .command('serve', { isDefault: true })
  .description('run the service until it is told to stop')
  .addHelpText(
    'after',
    `\nEvery option can be set by an environment variable: ${CONFIG_KEYS.map(({ variable }) => variable).join(', ')}.`,
  )
  .action((_options, command: Command) => serve(command.optsWithGlobals()))
for (const { key, flag, description } of CONFIG_KEYS) {
  if (key !== 'dataFolder') serveCommand.option(flag, description)
}
addProjectCommands(program)
addKeyCommands(program)
addFlagCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) console.error(`waymark-service: ${error.message}`)
  else if (!(error instanceof CommanderError)) console.error(error)
  process.exitCode = 1
}
