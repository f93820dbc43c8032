import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { ALL_SCOPES, SCOPES } from '../permission/scopes.ts'
import type { Grant } from '../permission/scopes.ts'
import { StartError } from '../data-folder.ts'
import { createKey } from '../management/key-fields.ts'
import { PersonalApiKeyInput } from '../management/schema/personal-api-key.ts'
import { findSchemaError } from '../schema/find-schema-error.ts'
import { listPersonalApiKeys, removePersonalApiKey } from '../store/metadata/keys.ts'
import type { PersonalApiKey, PersonalApiKeyFields } from '../store/metadata/keys.ts'
import { listUsers } from '../store/metadata/users.ts'
import { parseEmail, requireUser } from './people-options.ts'
import { parseProjectId, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'
import { toIsoTime } from '../to-iso-time.ts'

interface CreateOptions {
  readonly project?: readonly number[]
  readonly allProjects?: true
  readonly scope: readonly Grant[]
  readonly user?: string
  readonly expires?: string
}

/** The command line may do everything. */
const UNLIMITED: PersonalApiKeyFields = {
  label: '',
  scopes: [ALL_SCOPES],
  projectIds: [],
  organizationIds: [],
  expiresAt: null,
}

/** Adds `key create`, `key list` and `key revoke`, for personal API keys. A running service applies them at once. */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('create, list and revoke personal API keys')
  key
    .command('create')
    .argument('<label>', 'the purpose of the key')
    .addOption(new Option('--project <id...>', 'the projects of the key (default: 1)').argParser(addProjectId))
    .addOption(new Option('--all-projects', 'a key for all projects of its user').conflicts('project'))
    .addOption(
      new Option('--scope <scope...>', 'the scopes of the key; * for all')
        .choices([ALL_SCOPES, ...SCOPES])
        .default(['query:read']),
    )
    .addOption(new Option('--user <email>', 'whose key it is (default: the first user)').argParser(parseEmail))
    .addOption(new Option('--expires <time>', 'ISO 8601 time, with its zone, after which the key is refused'))
    .action((label: string, { allProjects, ...options }: CreateOptions, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        const projectIds = allProjects ? [] : (options.project ?? [1])
        for (const id of projectIds) await requireProject(metadata, id)
        const user =
          options.user === undefined ? (await listUsers(metadata))[0] : await requireUser(metadata, options.user)
        if (user === undefined) throw new StartError('There is no user; create one with "waymark-service user create".')
        const body = {
          label,
          scopes: [...options.scope],
          scoped_teams: [...projectIds],
          ...(options.expires !== undefined && { expires_at: options.expires }),
        }
        const error = findSchemaError(await import('../schema/schema-tools.ts'), {}, PersonalApiKeyInput, body)
        if (error !== null) throw error
        const created = await metadata
          .transaction()
          .execute((transaction) => createKey(transaction, { user, key: UNLIMITED }, body, Date.now()))
        console.log(`${created.key}  (shown only once)`)
      }),
    )
  key.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      const emails = new Map((await listUsers(metadata)).map(({ id, email }) => [id, email]))
      for (const each of await listPersonalApiKeys(metadata)) console.log(describeKey(each, emails.get(each.userId)))
    }),
  )
  key
    .command('revoke')
    .description('refuse a key from now on')
    .argument('<id>', 'the number of the key in the list', parseKeyId)
    .action((id: number, _options, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        if (!(await removePersonalApiKey(metadata, id)))
          throw new StartError(`There is no key ${id}; run "waymark-service key list" for all keys.`)
        console.log(`revoked key ${id}`)
      }),
    )
}

const describeKey = (key: PersonalApiKey, email = 'unknown user'): string =>
  [
    `key ${key.id}`,
    email,
    key.projectIds.length === 0 ? 'all projects' : `project ${key.projectIds.join(', ')}`,
    `${key.hint}…`,
    ...(key.expiresAt === null ? [] : [`until ${toIsoTime(key.expiresAt)}`]),
    key.lastUsedAt === null ? 'never used' : `used ${toIsoTime(key.lastUsedAt)}`,
    key.scopes.join(' '),
    key.label,
  ].join('  ')

/** Commander passes each value of a repeatable option with the values before it. */
const addProjectId = (value: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  parseProjectId(value),
]

const parseKeyId = (value: string): number => {
  const id = Number(value)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('A key id must be a whole number from 1.')
}
