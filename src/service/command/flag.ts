import type { Command } from 'commander'
import { StartError } from '../data-folder.ts'
import { deleteFlag } from '../flags/definitions/change-flags.ts'
import { loadFlagFile } from '../flags/definitions/load-flag-file.ts'
import { FlagError } from '../flags/definitions/parse-flag-file.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import { listFlags } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { addExplainCommand } from './explain-flag.ts'
import { addPauseCommands } from './pause-flags.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

/**
 * Adds `flag set <file>`, `flag list`, `flag delete <key>`, `flag pause`, `flag resume` and `flag explain`. A running service
 * applies the changes within a second.
 */
export const addFlagCommands = (program: Command): void => {
  const flag = program.command('flag').description('set, list, explain, delete, pause and resume feature flags')

  /** Adds a command on one project; `run` gets the command's argument, or an empty string. */
  const add = (
    usage: string,
    description: string,
    run: (metadata: Metadata, project: number, argument: string) => Promise<void>,
  ): void => {
    flag
      .command(usage)
      .description(description)
      .addOption(createProjectOption())
      .action((...args: unknown[]) => {
        // commander passes the arguments, then the options, then the command.
        const command = args.at(-1) as Command
        const { project } = command.opts<{ project: number }>()
        return withMetadata(command.optsWithGlobals(), async (metadata) => {
          await requireProject(metadata, project)
          await run(metadata, project, command.args[0] ?? '')
        })
      })
  }

  add(
    'set <file>',
    'create or replace flags from a JSON file; - reads standard input',
    async (metadata, project, file) => {
      const keys = await loadFlagFile(metadata, project, file, Date.now(), (warning) =>
        console.error(`warning: ${warning}`),
      )
      for (const key of keys) console.log(`set ${key}`)
    },
  )
  add('list', 'show all flags of a project', async (metadata, project) => {
    if ((await readFlagSettings(metadata, project)).isPaused)
      console.log('paused: clients keep their current flag values')
    for (const { key, active, version, filters } of await listFlags(metadata, project)) {
      const variants = filters.multivariate?.variants.map((variant) => variant.key).join(' ') ?? ''
      console.log(`${active ? 'on ' : 'off'}  version ${version}  ${key}  ${variants}`.trimEnd())
    }
  })
  add('delete <key>', 'delete a flag', async (metadata, project, key) => {
    const isDeleted = await deleteFlag(metadata, project, key).catch((error: unknown) => {
      throw error instanceof FlagError ? new StartError(error.message, { cause: error }) : error
    })
    if (!isDeleted) throw new StartError(`There is no flag "${key}"; run "waymark-service flag list" for all flags.`)
    console.log(`deleted ${key}`)
  })
  addExplainCommand(flag)
  addPauseCommands(flag)
}
