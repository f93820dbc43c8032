import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { StartError } from '../data-folder.ts'
import { createPersonalApiKey, listPersonalApiKeys, SCOPES } from '../store/metadata/keys.ts'
import type { Scope } from '../store/metadata/keys.ts'
import { projectById } from '../store/metadata/projects.ts'
import { withMetadata } from './with-metadata.ts'

/** `key create` and `key list`: personal api keys. */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('create and list personal api keys')
  key
    .command('create')
    .argument('<label>', 'what the key is for')
    .addOption(new Option('--project <id>', 'the project it is for').argParser(projectId).default(1))
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).default(['query:read']))
    .action((label: string, options: { project: number; scope: Scope[] }, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        if ((await projectById(metadata, options.project)) === undefined) {
          throw new StartError(`There is no project ${options.project}; "project list" shows them.`)
        }
        const created = await createPersonalApiKey(metadata, {
          projectId: options.project,
          label,
          scopes: options.scope,
          now: Date.now(),
        })
        console.log(`${created.key}  (shown this once)`)
      }),
    )
  key.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      for (const { id, projectId, hint, scopes, label } of await listPersonalApiKeys(metadata)) {
        console.log(`key ${id}  project ${projectId}  ${hint}…  ${scopes.join(' ')}  ${label}`)
      }
    }),
  )
}

const projectId = (value: string): number => {
  const id = Number(value)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('A project is named by its number.')
}
