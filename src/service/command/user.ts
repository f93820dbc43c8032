import { Option } from 'commander'
import type { Command } from 'commander'
import { StartError } from '../data-folder.ts'
import { LEVELS, nameLevel } from '../permission/levels.ts'
import type { Level } from '../permission/levels.ts'
import { leaveOrganization } from '../people/change-members.ts'
import type { Metadata } from '../store/metadata/open.ts'
import {
  addOrganizationMember,
  listAllMemberships,
  listMembershipsOfUser,
} from '../store/metadata/organization-members.ts'
import { createUser, findUserByEmail, listUsers, removeUser, ROLES, updateUser } from '../store/metadata/users.ts'
import type { Role, User, UserFields } from '../store/metadata/users.ts'
import { createOrganizationOption, parseEmail, parseLevel, requireOrganization, requireUser } from './people-options.ts'
import { withMetadata } from './with-metadata.ts'

interface FieldOptions {
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly role?: Role
}

const toFields = ({ email, firstName, lastName, role }: FieldOptions): Partial<UserFields> => ({
  ...(email !== undefined && { email }),
  ...(firstName !== undefined && { firstName }),
  ...(lastName !== undefined && { lastName }),
  ...(role !== undefined && { roleAtOrganization: role }),
})

const requireUnusedEmail = async (metadata: Metadata, email: string): Promise<void> => {
  if (await findUserByEmail(metadata, email)) throw new StartError(`There is a user ${email} already.`)
}

const describeUser = (user: User, levels: readonly Level[]): string =>
  [
    `user ${user.id}`,
    user.uuid,
    user.email,
    levels.map(nameLevel).join(', ') || 'in no organisation',
    `${user.firstName} ${user.lastName}`.trim(),
  ]
    .join('  ')
    .trimEnd()

/** Adds `user create`, `user list`, `user update` and `user remove`: the people who work with the service. */
export const addUserCommands = (program: Command): void => {
  const user = program.command('user').description('create, list, change and remove the people who use the service')
  const addFieldOptions = (command: Command): Command =>
    command
      .option('--first-name <name>')
      .option('--last-name <name>')
      .addOption(new Option('--role <role>', 'what the user does').choices(ROLES.filter(Boolean)))

  addFieldOptions(user.command('create'))
    .argument('<email>', 'the email address', parseEmail)
    .addOption(createOrganizationOption())
    .addOption(
      new Option('--level <level>', 'the level in the organisation')
        .argParser(parseLevel)
        .default(LEVELS.member, 'member'),
    )
    .action((email: string, options: FieldOptions & { organization?: string; level: Level }, command: Command) =>
      withMetadata(command.optsWithGlobals(), (metadata) =>
        metadata.transaction().execute(async (transaction) => {
          await requireUnusedEmail(transaction, email)
          const organization = await requireOrganization(transaction, options.organization)
          const now = Date.now()
          const created = await createUser(transaction, { ...toFields(options), email }, now)
          const member = { organizationId: organization.id, userId: created.id, level: options.level }
          await addOrganizationMember(transaction, member, now)
          console.log(describeUser(created, [options.level]))
        }),
      ),
    )
  user.command('list').action((_options, command: Command) =>
    withMetadata(command.optsWithGlobals(), async (metadata) => {
      const levels = new Map<number, Level[]>()
      for (const { userId, level } of await listAllMemberships(metadata)) {
        levels.set(userId, [...(levels.get(userId) ?? []), level])
      }
      for (const each of await listUsers(metadata)) console.log(describeUser(each, levels.get(each.id) ?? []))
    }),
  )
  addFieldOptions(user.command('update'))
    .argument('<email>', 'the email address until now')
    .addOption(new Option('--email <email>', 'the new email address').argParser(parseEmail))
    .action((email: string, options: FieldOptions, command: Command) =>
      withMetadata(command.optsWithGlobals(), (metadata) =>
        metadata.transaction().execute(async (transaction) => {
          const { id, email: before } = await requireUser(transaction, email)
          if (options.email !== undefined && options.email.toLowerCase() !== before)
            await requireUnusedEmail(transaction, options.email)
          await updateUser(transaction, id, toFields(options), Date.now())
          console.log(`changed user ${id}`)
        }),
      ),
    )
  user
    .command('remove')
    .description('remove a user with all memberships and keys')
    .argument('<email>')
    .action((email: string, _options, command: Command) =>
      withMetadata(command.optsWithGlobals(), (metadata) =>
        metadata.transaction().execute(async (transaction) => {
          const { id } = await requireUser(transaction, email)
          for (const member of await listMembershipsOfUser(transaction, id))
            await leaveOrganization(transaction, member)
          await removeUser(transaction, id)
          console.log(`removed user ${id}`)
        }),
      ),
    )
}
