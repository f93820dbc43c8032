import { randomBytes, randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../wire/json.ts'
import type { Calendar } from '../../insight/time/calendar.ts'
import type { Metadata } from './open.ts'
import { listOrganizations } from './organizations.ts'

/** A set of events, persons and flags, and the key that its agents send. */
export interface Project {
  readonly id: number
  readonly uuid: string
  readonly organizationId: string
  readonly name: string
  /** Public key, `wm_` and 32 characters. It only allows sending events and reading flag values. */
  readonly apiKey: string
  /** Whether the project is closed to members of its organisation who are not its own members. */
  readonly isPrivate: boolean
  /** Maximum number of events in a calendar month (UTC), without historical migrations. Default: null, unlimited. */
  readonly eventQuota: number | null
  /** Default: UTC, and weeks that begin on Sunday. */
  readonly calendar: Calendar
  /** Property filters for insights that leave out internal and test users. Default: none. */
  readonly testAccountFilters: readonly JsonObject[]
  /** Starts at 1 and increases with each change of a field that clients may change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

/** A project and what decides the level of one member of its organisation in it. */
export interface ProjectStanding {
  readonly project: Project
  readonly parentLevel: number
  /** Null without a membership of the project itself. */
  readonly explicitLevel: number | null
}

const COLUMNS = [
  'projects.id as id',
  'projects.uuid as uuid',
  'projects.organization_id as organizationId',
  'projects.name as name',
  'projects.api_key as apiKey',
  'projects.is_private as isPrivate',
  'projects.event_quota as eventQuota',
  'projects.time_zone as timeZone',
  'projects.week_start as weekStart',
  'projects.test_account_filters as testAccountFilters',
  'projects.version as version',
  'projects.created_at as createdAt',
  'projects.updated_at as updatedAt',
] as const

interface ProjectRow extends Omit<Project, 'isPrivate' | 'calendar' | 'testAccountFilters'> {
  readonly isPrivate: number
  readonly timeZone: string
  readonly weekStart: string
  /** A JSON array. */
  readonly testAccountFilters: string
}

const parseRow = ({ isPrivate, timeZone, weekStart, testAccountFilters, ...row }: ProjectRow): Project => ({
  ...row,
  isPrivate: isPrivate === 1,
  calendar: { timeZone, weekStart: weekStart as Calendar['weekStart'] },
  testAccountFilters: JSON.parse(testAccountFilters),
})

/** Further settings of a new project. */
export interface ProjectOptions {
  /** Default: the oldest organisation. */
  readonly organizationId?: string
  /** Default: false. */
  readonly isPrivate?: boolean
}

/** Creates a project with a new key, at `now` (ms since 1970). */
export const createProject = async (
  metadata: Metadata,
  name: string,
  now: number,
  { organizationId, isPrivate = false }: ProjectOptions = {},
): Promise<Project> => {
  const [oldest] = organizationId === undefined ? await listOrganizations(metadata) : []
  const row = await metadata
    .insertInto('projects')
    .values({
      name,
      uuid: randomUUID(),
      // A migration creates the first organisation, and none is ever removed.
      organization_id: organizationId ?? oldest!.id,
      api_key: `wm_${randomBytes(24).toString('base64url')}`,
      is_private: isPrivate ? 1 : 0,
      created_at: now,
      updated_at: now,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}

const selectProjects = (metadata: Metadata) => metadata.selectFrom('projects')

/** All projects, oldest first. */
export const listProjects = async (metadata: Metadata): Promise<Project[]> =>
  (await selectProjects(metadata).select(COLUMNS).orderBy('id').execute()).map(parseRow)

export const findProjectById = async (metadata: Metadata, id: number): Promise<Project | undefined> => {
  const row = await selectProjects(metadata).select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && parseRow(row)
}

export const findProjectByApiKey = async (metadata: Metadata, apiKey: string): Promise<Project | undefined> => {
  const row = await selectProjects(metadata).select(COLUMNS).where('api_key', '=', apiKey).executeTakeFirst()
  return row && parseRow(row)
}

/** The projects of all organisations of a user, oldest first; `id` selects one. */
export const listStandings = async (
  metadata: Metadata,
  userId: number,
  id?: number,
): Promise<readonly ProjectStanding[]> => {
  const rows = await selectProjects(metadata)
    .innerJoin('organization_members as parent', (join) =>
      join.onRef('parent.organization_id', '=', 'projects.organization_id').on('parent.user_id', '=', userId),
    )
    .leftJoin('project_members as member', (join) =>
      join.onRef('member.project_id', '=', 'projects.id').onRef('member.membership_id', '=', 'parent.id'),
    )
    .$if(id !== undefined, (query) => query.where('projects.id', '=', id!))
    .select([...COLUMNS, 'parent.level as parentLevel', 'member.level as explicitLevel'])
    .orderBy('projects.id')
    .execute()
  return rows.map(({ parentLevel, explicitLevel, ...row }) => ({ project: parseRow(row), parentLevel, explicitLevel }))
}

/** What clients may change of a project. */
export type ProjectSettings = Pick<Project, 'name' | 'isPrivate' | 'calendar' | 'testAccountFilters'>

/** Changes the settings of a project. Call it inside a transaction. */
export const updateProject = async (
  transaction: Metadata,
  id: number,
  { name, isPrivate, calendar, testAccountFilters }: Partial<ProjectSettings>,
  now: number,
): Promise<void> => {
  await transaction
    .updateTable('projects')
    .set((row) => ({
      ...(name !== undefined && { name }),
      ...(isPrivate !== undefined && { is_private: isPrivate ? 1 : 0 }),
      ...(calendar && { time_zone: calendar.timeZone, week_start: calendar.weekStart }),
      ...(testAccountFilters && { test_account_filters: JSON.stringify(testAccountFilters) }),
      version: row('version', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', id)
    .execute()
}

/** Sets the event quota of a project; null removes it. */
export const setEventQuota = async (metadata: Metadata, id: number, eventQuota: number | null): Promise<void> => {
  await metadata.updateTable('projects').set({ event_quota: eventQuota }).where('id', '=', id).execute()
}
