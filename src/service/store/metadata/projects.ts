import { randomBytes } from 'node:crypto'
import type { Metadata } from './open.ts'

/** A set of events, persons and flags, and the key that its agents send. */
export interface Project {
  readonly id: number
  readonly name: string
  /** Public key, `wm_` and 32 characters. It only allows sending events and reading flag values. */
  readonly apiKey: string
  /** Maximum number of events in a calendar month (UTC), without historical migrations. Default: null, unlimited. */
  readonly eventQuota: number | null
}

/** Creates a project with a new key, at `now` (ms since 1970). */
export const createProject = async (metadata: Metadata, name: string, now: number): Promise<Project> => {
  const row = await metadata
    .insertInto('projects')
    .values({ name, api_key: `wm_${randomBytes(24).toString('base64url')}`, created_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return row
}

/** All projects, oldest first. */
export const listProjects = (metadata: Metadata): Promise<Project[]> =>
  metadata.selectFrom('projects').select(COLUMNS).orderBy('id').execute()

export const findProjectById = (metadata: Metadata, id: number): Promise<Project | undefined> =>
  metadata.selectFrom('projects').select(COLUMNS).where('id', '=', id).executeTakeFirst()

export const findProjectByApiKey = (metadata: Metadata, apiKey: string): Promise<Project | undefined> =>
  metadata.selectFrom('projects').select(COLUMNS).where('api_key', '=', apiKey).executeTakeFirst()

/** Sets the event quota of a project; null removes it. */
export const setEventQuota = async (metadata: Metadata, id: number, eventQuota: number | null): Promise<void> => {
  await metadata.updateTable('projects').set({ event_quota: eventQuota }).where('id', '=', id).execute()
}

const COLUMNS = ['id', 'name', 'api_key as apiKey', 'event_quota as eventQuota'] as const
