import { Command } from 'commander'
import { findClosestName } from '../closest-name.ts'
import { CONFIG_KEYS } from '../read-config.ts'
import type { ConfigKey } from '../read-config.ts'
import { addDrainCommand } from './drain.ts'
import { addFlagCommands } from './flag.ts'
import { addKeyCommands } from './key.ts'
import { addMemberCommands } from './member.ts'
import { addMigrateCommand } from './migrate.ts'
import { addOrgCommands } from './org.ts'
import { addProjectCommands } from './project.ts'
import { addSalvageCommand } from './salvage.ts'
import { addUserCommands } from './user.ts'
import { serve } from './serve.ts'
import { readVersion } from '../version.ts'

/** Whether all commands have an option, because it says where the data is. */
const isGlobal = ({ key }: ConfigKey): boolean =>
  key === 'dataFolder' || key === 'metadata' || key === 'metadataPasswordFile'

/** Creates the command line with all commands. */
export const createProgram = (): Command => {
  const program = new Command('waymark-service')
    .description('Product analytics and feature flags on one small machine.')
    .version(readVersion())

  for (const { flag, description } of CONFIG_KEYS.filter(isGlobal)) program.option(flag, description)

  const serveCommand = program
    .command('serve', { isDefault: true })
    .description('run the service until SIGINT or SIGTERM')
    .addHelpText(
      'after',
      `\nEvery option can be set by an environment variable: ${CONFIG_KEYS.map(({ variable }) => variable).join(', ')}.`,
    )
    // A word that is no command comes here, too.
    .allowExcessArguments()
    .action((_options, command: Command) => {
      const [word] = command.args
      if (word === undefined) return serve(command.optsWithGlobals())
      const closest = findClosestName(
        word,
        program.commands.map((each) => each.name()),
      )
      return command.error(`error: unknown command '${word}'${closest === null ? '' : `\n(Did you mean ${closest}?)`}`)
    })
  const serveKeys = CONFIG_KEYS.filter((key) => !isGlobal(key))
  for (const { flag, description } of serveKeys) serveCommand.option(flag, description)
  addProjectCommands(program)
  addOrgCommands(program)
  addUserCommands(program)
  addMemberCommands(program)
  addKeyCommands(program)
  addFlagCommands(program)
  addSalvageCommand(program)
  addMigrateCommand(program, serveKeys)
  addDrainCommand(program)
  return program
}
