import { cpSync } from 'node:fs'
import { startService } from '../service-process.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'

/** One key asks all questions, more often than a person would. */
const ENVIRONMENT = { WAYMARK_MAX_KEY_REQUESTS_PER_MINUTE: '100000' }

/**
 * Creates a data folder with a project and its keys, and starts services on copies of it: one set of requests, which contain the project's
 * key, then serves many new services.
 */
export const createDataFolder = async () => {
  const template = createTemporaryFolder()
  const { apiKey, personalApiKey, stop } = await startService({}, template.path)
  await stop()
  return {
    apiKey,
    /** Starts a service on a copy. `stop` keeps the copy, `remove` removes it. */
    async start() {
      const { path: folder, remove } = createTemporaryFolder()
      cpSync(template.path, folder, { recursive: true })
      try {
        return { ...(await startService(ENVIRONMENT, folder)), folder, apiKey, personalApiKey, remove }
      } catch (error) {
        remove()
        throw error
      }
    },
    /**
     * Runs a service on the folder itself: later copies have what it stores.
     *
     * @param {(service: { url: string }) => Promise<void>} work
     */
    async fill(work) {
      const service = await startService(ENVIRONMENT, template.path)
      try {
        await work(service)
      } finally {
        await service.stop()
      }
    },
    remove: template.remove,
  }
}

/**
 * @typedef {Awaited<ReturnType<Awaited<ReturnType<typeof createDataFolder>>['start']>>} BenchService
 */
