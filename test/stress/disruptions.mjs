import { setTimeout as pause } from 'node:timers/promises'

/** @import { Random } from './random.mjs' */
/** @import { StressedService } from './service.mjs' */

/**
 * What happens to a service that takes events in. Each leaves it running, or being started.
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
    await nextIndexer(service)
    // From before its first line of code to the middle of its first batch.
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
    for (let again = random.int(1, 3); again > 0; again--) {
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
    // It may hold locks that the new ones wait for.
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
  'asked to end': async (service) => {
    await service.terminate()
    await service.start()
  },
  'asked to end, indexer killed meanwhile': async (service, random) => {
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

/** How long a front may take to start an indexer again: its longest wait, and time on a busy machine. */
const NEXT_MS = 20_000

const nextIndexer = async (service) => {
  const deadline = Date.now() + NEXT_MS
  while (service.indexer() === null) {
    if (Date.now() > deadline) throw new Error(`No indexer was started within ${NEXT_MS} ms.`)
    await pause(5)
  }
}
