import { Option } from 'commander'
import type { Command } from 'commander'
import { pauseFlags } from '../flags/definitions/change-flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listProjects } from '../store/metadata/projects.ts'
import { requireOrganization } from './people-options.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

interface PlaceOptions {
  readonly project: number
  readonly organization?: string
}

/** Adds `flag pause` and `flag resume`, for one project or, with `--organization`, all projects of an organisation. */
export const addPauseCommands = (flag: Command): void => {
  const add = (name: string, description: string, isPaused: boolean): void => {
    flag
      .command(name)
      .description(description)
      .addOption(createProjectOption())
      .addOption(
        new Option('--organization <id>', 'all projects of this organisation, instead of one').conflicts('project'),
      )
      .action((options: PlaceOptions, command: Command) =>
        withMetadata(command.optsWithGlobals(), async (metadata) => {
          for (const id of await findProjectIds(metadata, options)) await pauseFlags(metadata, id, isPaused)
        }),
      )
  }
  add('pause', 'stop flag evaluation: respond that the flag quota is used up', true)
  add('resume', 'evaluate flags again', false)
}

const findProjectIds = async (metadata: Metadata, { project, organization }: PlaceOptions): Promise<number[]> => {
  if (organization === undefined) {
    await requireProject(metadata, project)
    return [project]
  }
  const { id } = await requireOrganization(metadata, organization)
  return (await listProjects(metadata)).filter(({ organizationId }) => organizationId === id).map((each) => each.id)
}
