import { Option } from 'commander'
import type { Command } from 'commander'
import { createPersonalApiKey, listPersonalApiKeys, SCOPES } from '../store/metadata/keys.ts'
import type { Scope } from '../store/metadata/keys.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

/** Adds `key create` and `key list`, for personal API keys. */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('create and list personal API keys')
  key
    .command('create')
    .argument('<label>', 'the purpose of the key')
    .addOption(createProjectOption())
    .addOption(new Option('--scope <scope...>', 'the scopes of the key').choices(SCOPES).default(['query:read']))
    .action((label: string, options: { project: number; scope: Scope[] }, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        await requireProject(metadata, options.project)
        const created = await createPersonalApiKey(metadata, {
          projectId: options.project,
          label,
          scopes: options.scope,
          now: Date.now(),
        })
        console.log(`${created.key}  (shown only once)`)
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
