import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { createProject, listProjects, setEventQuota } from '../store/metadata/projects.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

/** Adds `project create <name>`, `project list` and `project quota <events|none>`. */
export const addProjectCommands = (program: Command): void => {
  const project = program.command('project').description('create and list projects, and set their quotas')
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
      for (const { id, apiKey, name, eventQuota } of await listProjects(metadata)) {
        const quota = eventQuota === null ? '' : `  (quota: ${eventQuota} events a month)`
        console.log(`project ${id}  ${apiKey}  ${name}${quota}`)
      }
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
