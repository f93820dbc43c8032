import type { Command } from 'commander'
import { createProject, listProjects } from '../store/metadata/projects.ts'
import { withMetadata } from './with-metadata.ts'

/** `project create <name>` and `project list`. */
export const addProjectCommands = (program: Command): void => {
  const project = program.command('project').description('create and list projects')
  project
    .command('create')
    .argument('<name>')
    .action((name: string, _options, command: Command) =>
      withMetadata(
        command.optsWithGlobals(),
        async (metadata) => {
          const { id, apiKey } = await createProject(metadata, name, Date.now())
          console.log(`project ${id}  ${apiKey}  ${name}`)
        },
        { mayCreate: true },
      ),
    )
  project.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      for (const { id, apiKey, name } of await listProjects(metadata)) console.log(`project ${id}  ${apiKey}  ${name}`)
    }),
  )
}
