const cpu = (scale: number) => ({
  front: 50 * scale,
  indexer: 60 * scale,
  postgres: 10 * scale,
  clickHouse: 100 * scale,
  clients: 5,
})

const cores = (clickHouse: number) => ({
  front: 0.1,
  indexer: 0.2,
  postgres: 0.1,
  clickHouse,
  clients: 0,
  others: 0.1,
})

const nodesWith = (nodes: number, backlogPerSecond: number, clickHouse: number) => ({
  nodes,
  together: { eventsPerSecond: 9000, queryablePerSecond: 6000, cpuPerEvent: cpu(nodes), cores: cores(1) },
  steady: { p50Ms: 100, p99Ms: 300, cores: cores(clickHouse) },
  backlog: { eventsPerSecond: backlogPerSecond, cpuPerEvent: cpu(1), cores: cores(1.5) },
  memory: { frontPeakMb: 200, indexerPeakMb: 300 },
})

/** Results as the bench writes them, with round figures. */
export const RESULTS = {
  service: {
    site: {
      eventCount: 2 ** 20,
      acknowledged: { eventsPerSecond: 40_000, indexedPerSecond: 20_000 },
      backlog: {
        acknowledgedPerSecond: 90_000,
        eventsPerSecond: 50_000,
        bytesPerEvent: 100,
        inboxReusableMb: 200,
      },
    },
  },
  scale: {
    events: 1000,
    persons: 100,
    steadyPerSecond: 500,
    steadySeconds: 20,
    loadBefore: 0,
    versions: { postgres: '18', clickHouse: '26' },
    nodes: [nodesWith(1, 5000, 0.4), nodesWith(3, 12_000, 0.6)],
    stored: {
      events: 3000,
      persons: 200,
      clickHouseBytesPerEvent: 150,
      clickHouseBytesPerPerson: 100,
      postgresBytesPerPerson: 500,
    },
  },
}
