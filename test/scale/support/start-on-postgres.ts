import type { ServiceProcess } from '../../service/support/service-process.ts'
import { startService } from '../../service/support/service-process.ts'

/** What the built service needs to find the package pg. */
export const SERVICE_ENVIRONMENT = {
  NODE_OPTIONS: `--import=${new URL('resolve-pg.mjs', import.meta.url).href}`,
}

/** Starts the built service with its metadata in PostgreSQL. */
export const startOnPostgres = (
  dataFolder: string,
  url: string,
  options: readonly string[] = [],
): Promise<ServiceProcess> =>
  startService(dataFolder, { args: ['--metadata', url, ...options], env: SERVICE_ENVIRONMENT })
