import { randomBytes } from 'node:crypto'
import type { Metadata } from './open.ts'

/** Events, persons and flags that belong together, and the key that its pages and servers send. */
export interface Project {
  readonly id: number
  readonly name: string
  /** Public key, `wm_` and 32 characters: it lets anyone add events and read flag values, nothing else. */
  readonly apiKey: string
  /** Events that are taken in a calendar month (UTC), historical migrations aside. Null, the default: as many as come. */
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

export const projectById = (metadata: Metadata, id: number): Promise<Project | undefined> =>
  metadata.selectFrom('projects').select(COLUMNS).where('id', '=', id).executeTakeFirst()

export const projectByApiKey = (metadata: Metadata, apiKey: string): Promise<Project | undefined> =>
  metadata.selectFrom('projects').select(COLUMNS).where('api_key', '=', apiKey).executeTakeFirst()

/** Gives a project another quota, or none. */
export const setEventQuota = async (metadata: Metadata, id: number, eventQuota: number | null): Promise<void> => {
  await metadata.updateTable('projects').set({ event_quota: eventQuota }).where('id', '=', id).execute()
}

const COLUMNS = ['id', 'name', 'api_key as apiKey', 'event_quota as eventQuota'] as const
