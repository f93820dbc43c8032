import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { createProject, listProjects, setEventQuota, updateProject } from '../store/metadata/projects.ts'
import { createOrganizationOption, requireOrganization } from './people-options.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

/** Adds `project create <name>`, `list`, `close`, `open` and `quota <events|none>`. */
export const addProjectCommands = (program: Command): void => {
  const project = program.command('project').description('create, list, open and close projects, and set their quotas')
  project
    .command('create')
    .argument('<name>')
    .option('--private', 'close it to members of the organisation who are not its own members')
    .addOption(createOrganizationOption())
    .action((name: string, options: { private?: true; organization?: string }, command: Command) =>
      withMetadata(
        command.optsWithGlobals(),
        async (metadata) => {
          const { id: organizationId } = await requireOrganization(metadata, options.organization)
          const isPrivate = options.private === true
          const { id, apiKey } = await createProject(metadata, name, Date.now(), { organizationId, isPrivate })
          console.log(`project ${id}  ${apiKey}  ${name}`)
        },
        { mayCreate: true },
      ),
    )
  project.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      for (const { id, apiKey, name, eventQuota, isPrivate } of await listProjects(metadata)) {
        const quota = eventQuota === null ? '' : `  (quota: ${eventQuota} events a month)`
        console.log(`project ${id}  ${apiKey}  ${name}${isPrivate ? '  (private)' : ''}${quota}`)
      }
    }),
  )
  for (const [name, isPrivate, description] of [
    ['close', true, 'make a project private: only its own members, and administrators of the organisation, see it'],
    ['open', false, 'open a project to all members of its organisation'],
  ] as const)
    project
      .command(name)
      .description(description)
      .addOption(createProjectOption())
      .action(({ project: id }: { project: number }, command: Command) =>
        withMetadata(command.optsWithGlobals(), async (metadata) => {
          await requireProject(metadata, id)
          await updateProject(metadata, id, { isPrivate }, Date.now())
          console.log(`project ${id} is ${isPrivate ? 'private' : 'open'}`)
        }),
      )
  project
    .command('quota')
    .description('reject new events of a project after this many in a calendar month (UTC)')
    .argument('<events>', 'events a month, or none', parseQuota)
    .addOption(createProjectOption())
    .action((quota: number | null, { project: id }: { project: number }, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        await requireProject(metadata, id)
        await setEventQuota(metadata, id, quota)
        console.log(quota === null ? `project ${id} has no quota` : `project ${id} may store ${quota} events a month`)
      }),
    )
}

const parseQuota = (value: string): number | null => {
  if (value === 'none') return null
  const events = Number(value)
  if (/^\d+$/.test(value) && Number.isSafeInteger(events)) return events
  throw new InvalidArgumentError('A quota must be a whole number of events, or none.')
}
