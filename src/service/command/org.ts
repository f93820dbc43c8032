import type { Command } from 'commander'
import { LEVELS } from '../permission/levels.ts'
import { addOrganizationMember } from '../store/metadata/organization-members.ts'
import { createOrganization, listOrganizations, renameOrganization } from '../store/metadata/organizations.ts'
import { createOrganizationOption, requireOrganization, requireUser } from './people-options.ts'
import { withMetadata } from './with-metadata.ts'

/** Adds `org create`, `org list` and `org rename`. */
export const addOrgCommands = (program: Command): void => {
  const org = program.command('org').description('create, list and rename organisations')
  org
    .command('create')
    .argument('<name>')
    .requiredOption('--owner <email>', 'the user who owns it')
    .action((name: string, { owner: email }: { owner: string }, command: Command) =>
      withMetadata(command.optsWithGlobals(), (metadata) =>
        metadata.transaction().execute(async (transaction) => {
          const owner = await requireUser(transaction, email)
          const now = Date.now()
          const { id } = await createOrganization(transaction, name, now)
          await addOrganizationMember(transaction, { organizationId: id, userId: owner.id, level: LEVELS.owner }, now)
          console.log(`organisation ${id}  ${name}`)
        }),
      ),
    )
  org.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      for (const { id, name } of await listOrganizations(metadata)) console.log(`organisation ${id}  ${name}`)
    }),
  )
  org
    .command('rename')
    .argument('<name>')
    .addOption(createOrganizationOption())
    .action((name: string, { organization }: { organization?: string }, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        const { id } = await requireOrganization(metadata, organization)
        await renameOrganization(metadata, id, name, Date.now())
        console.log(`organisation ${id}  ${name}`)
      }),
    )
}
