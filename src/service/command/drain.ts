import { setTimeout as sleep } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { StartError } from '../data-folder.ts'
import type { Health } from '../health.ts'
import { openService } from '../index.ts'
import type { Service } from '../index.ts'
import { CONFIG_KEYS, readConfig } from '../read-config.ts'

/** Interval at which the backlog is read. */
const POLL_MS = 200

/** Interval at which the backlog is reported. */
const REPORT_MS = 10_000

/** The settings beside the global ones: where the events go, and how much memory that may take. */
const SETTINGS: ReadonlySet<string> = new Set(['events', 'eventsPasswordFile', 'storeMemoryMb', 'geoDatabase'])

/** Adds `drain`, which stores what waits in the data folder of a node that is gone. */
export const addDrainCommand = (program: Command): void => {
  const command = program
    .command('drain')
    .description('store the events that wait in the data folder of a node that is gone for ever')
    .requiredOption('--from <folder>', 'copy of its data folder')
  for (const { flag, description } of CONFIG_KEYS.filter(({ key }) => SETTINGS.has(key)))
    command.option(flag, description)
  command.action(async ({ from }: { readonly from: string }, self: Command) => {
    const config = readConfig(process.env, { ...self.optsWithGlobals(), dataFolder: from, role: 'all' })
    if (config.metadata === null || config.events === null)
      throw new StartError('Set --metadata and --events as the node had them.')
    if (!existsSync(join(config.dataFolder, 'inbox.sqlite')))
      throw new StartError(`The folder ${resolve(from)} has no inbox.sqlite; choose the copy of a data folder.`)
    const service = await openService(config)
    try {
      const rejected = await waitUntilStored(service)
      if (rejected > 0) console.log(`${rejected} requests were rejected: see the table rejected of their project.`)
      console.log(
        `All ${rejected > 0 ? 'other ' : ''}events of ${config.dataFolder} are stored. The folder is not needed any more.`,
      )
    } finally {
      await service.close()
    }
  })
}

/** Waits however long a store is away: the events are safe in the folder. Resolves with the number of requests that cannot be stored. */
const waitUntilStored = async ({ app }: Service): Promise<number> => {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const { inbox, indexer, store } = (await app.inject({ method: 'GET', url: '/healthz' })).json<Health>()
    // A backlog that cannot be read counts as none.
    if (indexer.behindRows === 0 && inbox.ok && store.ok) return indexer.rejected
    if (waitedMs % REPORT_MS === 0)
      console.log(`${indexer.behindEvents} events wait.${store.detail === null ? '' : ` ${store.detail}`}`)
    await sleep(POLL_MS)
  }
}
