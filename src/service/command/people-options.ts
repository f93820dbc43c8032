import { InvalidArgumentError, Option } from 'commander'
import { StartError } from '../data-folder.ts'
import { LEVELS, PROJECT_LEVELS } from '../permission/levels.ts'
import type { Level, LevelName, ProjectLevel } from '../permission/levels.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findOrganization, listOrganizations } from '../store/metadata/organizations.ts'
import type { Organization } from '../store/metadata/organizations.ts'
import { findUserByEmail } from '../store/metadata/users.ts'
import type { User } from '../store/metadata/users.ts'

/** `--organization <id>`; default the oldest one. */
export const createOrganizationOption = (): Option =>
  new Option('--organization <id>', 'the id of the organisation (default: the oldest one)')

/** Throws `StartError` when the organisation does not exist. */
export const requireOrganization = async (metadata: Metadata, id: string | undefined): Promise<Organization> => {
  const organization = id === undefined ? (await listOrganizations(metadata))[0] : await findOrganization(metadata, id)
  if (organization) return organization
  throw new StartError(`There is no organisation ${id ?? ''}; run "waymark-service org list" for all of them.`)
}

/** Throws `StartError` when no user has the address. */
export const requireUser = async (metadata: Metadata, email: string): Promise<User> => {
  const user = await findUserByEmail(metadata, email)
  if (user) return user
  throw new StartError(`There is no user ${email}; run "waymark-service user list" for all of them.`)
}

/** Parses a level by its name. */
export const parseLevel = (value: string): Level => {
  if (Object.hasOwn(LEVELS, value)) return LEVELS[value as LevelName]
  throw new InvalidArgumentError(`A level must be one of ${Object.keys(LEVELS).join(', ')}.`)
}

/** Throws `StartError` for a level that only organisations have. */
export const toProjectLevel = (level: Level): ProjectLevel => {
  const found = PROJECT_LEVELS.find((each) => each === level)
  if (found !== undefined) return found
  throw new StartError('A project has members and administrators; only an organisation has owners.')
}

/** Parses an email address: one @ with something on both sides, and no spaces. */
export const parseEmail = (value: string): string => {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && value.length <= 254) return value
  throw new InvalidArgumentError('An email address looks like ann@shop.example.')
}
