import { cpSync } from 'node:fs'
import { startService } from '../service-process.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'

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
        return { ...(await startService({}, folder)), folder, apiKey, personalApiKey, remove }
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
      const service = await startService({}, template.path)
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
