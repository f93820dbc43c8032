import { Option } from 'commander'
import type { Command } from 'commander'
import { StartError } from '../data-folder.ts'
import { nameLevel } from '../permission/levels.ts'
import type { Level } from '../permission/levels.ts'
import {
  changeOrganizationLevel,
  changeProjectLevel,
  leaveOrganization,
  leaveProject,
} from '../people/change-members.ts'
import type { Metadata } from '../store/metadata/open.ts'
import {
  addOrganizationMember,
  findOrganizationMember,
  listOrganizationMembersPage,
} from '../store/metadata/organization-members.ts'
import { addProjectMember, findProjectMember, listProjectMembers } from '../store/metadata/project-members.ts'
import { findProjectById } from '../store/metadata/projects.ts'
import { loadUsers } from '../store/metadata/users.ts'
import type { User } from '../store/metadata/users.ts'
import {
  createOrganizationOption,
  parseLevel,
  requireOrganization,
  requireUser,
  toProjectLevel,
} from './people-options.ts'
import { parseProjectId, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

interface PlaceOptions {
  readonly project?: number
  readonly organization?: string
}

/** The operations on the members of one organisation or project. */
interface Place {
  readonly list: () => Promise<readonly { readonly userId: number; readonly level: number }[]>
  /** Adds a user, or changes the level. */
  readonly set: (user: User, level: Level) => Promise<void>
  /** Resolves to false when the user is no member. */
  readonly remove: (user: User) => Promise<boolean>
}

const createOrganizationPlace = async (metadata: Metadata, id: string | undefined): Promise<Place> => {
  const { id: organizationId } = await requireOrganization(metadata, id)
  const find = ({ id: userId }: User) => findOrganizationMember(metadata, organizationId, userId)
  return {
    list: async () =>
      (await listOrganizationMembersPage(metadata, organizationId, { limit: Number.MAX_SAFE_INTEGER, offset: 0 }))
        .items,
    set: async (user, level) => {
      const member = await find(user)
      if (member === undefined) {
        await addOrganizationMember(metadata, { organizationId, userId: user.id, level }, Date.now())
        return
      }
      await changeOrganizationLevel(metadata, member, level, Date.now())
    },
    remove: async (user) => {
      const member = await find(user)
      if (member === undefined) return false
      await leaveOrganization(metadata, member)
      return true
    },
  }
}

const createProjectPlace = async (metadata: Metadata, projectId: number): Promise<Place> => {
  await requireProject(metadata, projectId)
  const project = (await findProjectById(metadata, projectId))!
  return {
    list: () => listProjectMembers(metadata, projectId),
    set: async (user, level) => {
      const parent = await findOrganizationMember(metadata, project.organizationId, user.id)
      if (parent === undefined)
        throw new StartError(
          `${user.email} is not in the organisation of project ${projectId}; add the user there first.`,
        )
      const member = await findProjectMember(metadata, projectId, user.id)
      const projectLevel = toProjectLevel(level)
      if (member === undefined) {
        await addProjectMember(metadata, { projectId, membershipId: parent.id, level: projectLevel }, Date.now())
        return
      }
      await changeProjectLevel(metadata, project, member, projectLevel, Date.now())
    },
    remove: async (user) => {
      const member = await findProjectMember(metadata, projectId, user.id)
      if (member === undefined) return false
      await leaveProject(metadata, project, member)
      return true
    },
  }
}

/** Adds `member list`, `member set` and `member remove`, for an organisation or, with `--project`, one project. */
export const addMemberCommands = (program: Command): void => {
  const member = program.command('member').description('list, add, change and remove members')
  const addPlaceOptions = (command: Command): Command =>
    command
      .addOption(
        new Option('--project <id>', 'the project, instead of an organisation')
          .argParser(parseProjectId)
          .conflicts('organization'),
      )
      .addOption(createOrganizationOption())
  const run = (
    command: Command,
    { project, organization }: PlaceOptions,
    use: (place: Place, metadata: Metadata) => Promise<void>,
  ): Promise<void> =>
    withMetadata(command.optsWithGlobals(), (metadata) =>
      metadata.transaction().execute(async (transaction) => {
        const place =
          project === undefined
            ? await createOrganizationPlace(transaction, organization)
            : await createProjectPlace(transaction, project)
        await use(place, transaction)
      }),
    )

  addPlaceOptions(member.command('list')).action((options: PlaceOptions, command: Command) =>
    run(command, options, async (place, metadata) => {
      const members = await place.list()
      const users = await loadUsers(
        metadata,
        members.map(({ userId }) => userId),
      )
      // A membership always has its user.
      for (const { userId, level } of members) console.log(`${users.get(userId)!.email}  ${nameLevel(level)}`)
    }),
  )
  addPlaceOptions(member.command('set'))
    .description('add a user, or change the level')
    .argument('<email>')
    .argument('<level>', 'member, administrator or owner', parseLevel)
    .action((email: string, level: Level, options: PlaceOptions, command: Command) =>
      run(command, options, async (place, metadata) => {
        const user = await requireUser(metadata, email)
        await place.set(user, level)
        console.log(`${user.email}  ${nameLevel(level)}`)
      }),
    )
  addPlaceOptions(member.command('remove'))
    .argument('<email>')
    .action((email: string, options: PlaceOptions, command: Command) =>
      run(command, options, async (place, metadata) => {
        const user = await requireUser(metadata, email)
        if (!(await place.remove(user))) throw new StartError(`${user.email} is not a member.`)
        console.log(`removed ${user.email}`)
      }),
    )
}
