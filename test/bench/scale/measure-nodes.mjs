import { join } from 'node:path'
import { measureFreshness } from '../service/freshness.mjs'
import { holdIndexer } from '../service/hold-indexer.mjs'
import { readLoadFile, writeLoadFile } from '../service/load-file.mjs'
import { findIndexer, readMemoryMb } from '../service/process-figures.mjs'
import { readBehindEventsOf, waitUntilIndexed } from '../service/public-api.mjs'
import { sendRequests } from '../service/send-requests.mjs'
import { createPersonRequests, createSiteRequests } from '../service/site-load.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'
import { openCluster } from './open-cluster.mjs'
import { compareCpu, readCpuOfParts } from './part-figures.mjs'

/** @import { ScaleBenchOptions } from './options.mjs' */

/** One event of 50 is looked for. The queries pause longer than those of one node, because they take time from the inserts. */
const PROBES = { eventsPerProbe: 50, pollMs: 50 }

/** Sent to each node before anything is measured. */
const WARM_UP_EVENTS_PER_NODE = 5000

/** Pause between two looks at the waiting events. */
const POLL_MS = 100

/**
 * Measures new nodes that share new stores: the rates with events that arrive as fast as they are acknowledged, the delay of events that
 * arrive at a steady rate, and the rate from a backlog.
 *
 * @param {number} nodeCount
 * @param {ScaleBenchOptions} options
 */
export const measureNodes = async (nodeCount, { events, persons, steadyPerSecond, steadySeconds }) => {
  const cluster = await openCluster(nodeCount)
  const files = createTemporaryFolder()
  const { nodes } = cluster
  const urls = nodes.map(({ url }) => url)
  const warmUpEvents = nodeCount * WARM_UP_EVENTS_PER_NODE
  const log = (message) => console.log(`  ${nodeCount} nodes: ${message} …`)
  /** Creates the requests now, so that this does not slow down what is measured. Each seed has uuids of its own. */
  const prepare = (seed, eventCount, perSecond) => {
    const load = { apiKey: nodes[0].apiKey, persons, seed, eventCount, startMs: Date.now() }
    return writeLoadFile(
      join(files.path, `load-${seed}`),
      createSiteRequests({ ...load, eventsPerMs: perSecond / 1000 }),
    )
  }

  /** Stores the persons, and events as those that are measured: a new process takes longer for its first events. */
  const warmUp = async () => {
    const load = { apiKey: nodes[0].apiKey, persons, eventCount: persons, startMs: Date.now(), eventsPerMs: 1 }
    await sendRequests(urls, createPersonRequests(load))
    await sendRequests(urls, readLoadFile(prepare(1, warmUpEvents, steadyPerSecond).path))
    await waitUntilIndexed(nodes, undefined, POLL_MS)
  }

  const measureTogether = async () => {
    const load = prepare(2, events, steadyPerSecond)
    log('acknowledge and index')
    const before = readCpuOfParts(cluster)
    const startedAt = performance.now()
    const { refusedCount, durationMs } = await sendRequests(urls, readLoadFile(load.path))
    const indexedEvents = events - (await readBehindEventsOf(nodes))
    await waitUntilIndexed(nodes, undefined, POLL_MS)
    const allMs = performance.now() - startedAt
    return {
      eventsPerSecond: perSecond(events, durationMs),
      indexedMeanwhilePerSecond: perSecond(indexedEvents, durationMs),
      queryablePerSecond: perSecond(events, allMs),
      refusedCount,
      ...compareCpu(before, readCpuOfParts(cluster), events, allMs),
    }
  }

  const measureSteadyRate = async () => {
    const load = prepare(3, steadyPerSecond * steadySeconds, steadyPerSecond)
    log(`${steadyPerSecond} events/s for ${steadySeconds} s`)
    const before = readCpuOfParts(cluster)
    const startedAt = performance.now()
    const freshness = await measureFreshness(nodes, readLoadFile(load.path), steadyPerSecond, PROBES)
    const durationMs = performance.now() - startedAt
    const { cores } = compareCpu(before, readCpuOfParts(cluster), load.eventCount, durationMs)
    return { ...freshness, cores }
  }

  const measureBacklog = async () => {
    const load = prepare(4, events, steadyPerSecond)
    log('backlog')
    const holds = nodes.map(({ pid }) => holdIndexer(pid))
    let sent
    try {
      sent = await sendRequests(urls, readLoadFile(load.path))
    } catch (error) {
      for (const { cancel } of holds) cancel()
      throw error
    }
    const startedAt = performance.now()
    await Promise.all(holds.map(({ release }) => release()))
    // From here on, so that the indexers that were held, and have ended, do not count.
    const before = readCpuOfParts(cluster)
    await waitUntilIndexed(nodes, undefined, POLL_MS)
    const durationMs = performance.now() - startedAt
    return {
      acknowledgedPerSecond: perSecond(events, sent.durationMs),
      eventsPerSecond: perSecond(events, durationMs),
      ...compareCpu(before, readCpuOfParts(cluster), events, durationMs),
    }
  }

  try {
    const empty = await cluster.readMetadata()
    log('warm up')
    await warmUp()
    const together = await measureTogether()
    console.log(together)
    const steady = await measureSteadyRate()
    console.log(steady)
    const backlog = await measureBacklog()
    console.log(backlog)
    const memory = {
      frontPeakMb: Math.round(Math.max(...nodes.map(({ pid }) => readMemoryMb(pid).peak))),
      indexerPeakMb: Math.round(Math.max(...nodes.map(({ pid }) => readMemoryMb(findIndexer(pid)).peak))),
    }
    const clickHouse = await cluster.readClickHouseBytes()
    const metadata = await cluster.readMetadata()
    const storedEvents = persons + warmUpEvents + 2 * events + steadyPerSecond * steadySeconds
    return {
      versions: await cluster.readVersions(),
      figures: { nodes: nodeCount, together, steady, backlog, memory },
      stored: {
        events: storedEvents,
        persons: metadata.persons,
        clickHouseBytesPerEvent: Math.round(clickHouse.events / storedEvents),
        clickHouseBytesPerPerson: Math.round(clickHouse.persons / metadata.persons),
        postgresBytesPerPerson: Math.round((metadata.bytes - empty.bytes) / metadata.persons),
      },
    }
  } finally {
    await cluster.close()
    files.remove()
  }
}

const perSecond = (eventCount, durationMs) => Math.round((eventCount * 1000) / durationMs)
