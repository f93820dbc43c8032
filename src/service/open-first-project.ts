import type { Config } from './config.ts'
import { StartError } from './data-folder.ts'
import { loadFlagFile } from './flags/definitions/load-flag-file.ts'
import { ALL_SCOPES } from './permission/scopes.ts'
import { createPersonalApiKey, listPersonalApiKeys } from './store/metadata/keys.ts'
import type { Metadata } from './store/metadata/open.ts'
import { createProject, listProjects } from './store/metadata/projects.ts'
import type { Project } from './store/metadata/projects.ts'
import { listUsers } from './store/metadata/users.ts'

export interface ServiceProject extends Project {
  /** A key of the first user, with all scopes. Only the very first start creates one and returns it; later starts return null. */
  readonly personalApiKey: string | null
}

/**
 * In one transaction: reads or creates the first project, saves the configured flags, and creates a personal API key unless
 * one was ever created.
 *
 * @param onWarning Called for each field of the configured flags that has no effect, with a sentence.
 */
export const openFirstProject = (
  metadata: Metadata,
  { flags }: Config,
  now: number,
  onFirstKey: (project: ServiceProject) => void | Promise<void>,
  onWarning: (warning: string) => void,
): Promise<ServiceProject> =>
  metadata.transaction().execute(async (transaction) => {
    const [first] = await listProjects(transaction)
    const project = first ?? (await createProject(transaction, 'Default project', now))
    if (flags !== null) await loadFlagFile(transaction, project.id, flags, now, onWarning)
    const [anyKey] = await listPersonalApiKeys(transaction)
    if (anyKey !== undefined) return { ...project, personalApiKey: null }
    const [owner] = await listUsers(transaction)
    if (owner === undefined) throw new StartError('There is no user; create one with "waymark-service user create".')
    const { key } = await createPersonalApiKey(transaction, {
      userId: owner.id,
      label: 'First key',
      scopes: [ALL_SCOPES],
      now,
    })
    const projectWithKey = { ...project, personalApiKey: key }
    await onFirstKey(projectWithKey)
    return projectWithKey
  })
