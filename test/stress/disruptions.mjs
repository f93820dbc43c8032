import { setTimeout as pause } from 'node:timers/promises'

/** @import { Random } from './random.mjs' */
/** @import { StressedService } from './service.mjs' */

/**
 * Ways to disrupt a service under load, by name. Each leaves the service running or starting.
 *
 * @type {Readonly<Record<string, (service: StressedService, random: Random) => Promise<void>>>}
 */
export const DISRUPTIONS = {
  'front killed': async (service, random) => {
    await service.kill()
    await pause(random.int(0, 200))
    await service.start()
  },
  'indexer killed': async (service) => killIndexer(service),
  'indexer killed twice': async (service, random) => {
    await killIndexer(service)
    await waitForIndexer(service)
    // Between its first line of code and the middle of its first batch.
    await pause(random.int(0, 500))
    await killIndexer(service)
  },
  'front and then indexer killed': async (service, random) => {
    const indexer = service.indexer()
    await service.kill()
    await pause(random.int(0, 20))
    if (indexer !== null) service.signal(indexer, 'SIGKILL')
    await service.start()
  },
  'indexer and then front killed': async (service, random) => {
    await killIndexer(service)
    await pause(random.int(0, 20))
    await service.kill()
    await service.start()
  },
  'front killed while it starts': async (service, random) => {
    await service.kill()
    for (let startsLeft = random.int(1, 3); startsLeft > 0; startsLeft--) {
      service.launch()
      await pause(random.int(0, 900))
      await service.kill()
    }
    await service.start()
  },
  'old indexer killed while the new front starts': async (service, random) => {
    const indexer = service.indexer()
    await service.kill()
    service.launch()
    await pause(random.int(0, 600))
    if (indexer !== null) service.signal(indexer, 'SIGKILL')
    await service.start()
  },
  'old indexer stopped, and resumed under the new front': async (service, random) => {
    const indexer = service.indexer()
    if (indexer !== null) service.signal(indexer, 'SIGSTOP')
    await service.kill()
    service.launch()
    // The old indexer may have locks for which the new processes wait.
    await pause(random.int(100, 2500))
    if (indexer !== null) service.signal(indexer, random.chance(0.5) ? 'SIGCONT' : 'SIGKILL')
    await service.start()
  },
  'indexer stopped and resumed': async (service, random) => {
    const indexer = service.indexer()
    if (indexer === null) return
    service.signal(indexer, 'SIGSTOP')
    await pause(random.int(100, random.chance(0.2) ? 5000 : 1000))
    service.signal(indexer, 'SIGCONT')
  },
  'front stopped and resumed': async (service, random) => {
    service.signal(null, 'SIGSTOP')
    await pause(random.int(100, 800))
    service.signal(null, 'SIGCONT')
  },
  terminated: async (service) => {
    await service.terminate()
    await service.start()
  },
  'terminated, indexer killed meanwhile': async (service, random) => {
    const indexer = service.indexer()
    const ended = service.terminate()
    await pause(random.int(0, 60))
    if (indexer !== null) service.signal(indexer, 'SIGKILL')
    await ended
    await service.start()
  },
}

const killIndexer = async (service) => {
  const indexer = service.indexer()
  if (indexer === null) return
  service.signal(indexer, 'SIGKILL')
  while (service.indexer() === indexer) await pause(5)
}

/** Timeout for the front to restart an indexer: its longest back-off plus time for a busy machine. */
const RESTART_TIMEOUT_MS = 20_000

const waitForIndexer = async (service) => {
  const deadline = Date.now() + RESTART_TIMEOUT_MS
  while (service.indexer() === null) {
    if (Date.now() > deadline)
      throw new Error(`The front has not restarted the indexer within ${RESTART_TIMEOUT_MS} ms.`)
    await pause(5)
  }
}
