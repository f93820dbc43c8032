import type { SendReport } from '../../src/capture/post-events.ts'
import { createNodeOutbox } from '../../src/capture/node/outbox.ts'
import type { NodeOutbox, NodeOutboxOptions, NodeOutboxPorts } from '../../src/capture/node/outbox.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { createMemoryEventLog } from '../../src/platform/memory/memory-event-log.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { EventLog, EventLogLimits } from '../../src/port/event-log.ts'
import { fakeProcess } from './fake-process.ts'
import type { FakeProcess } from './fake-process.ts'
import { fakeService } from './fake-service.ts'
import type { FakeService } from './fake-service.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'

/** A Node outbox with a log in memory, and with a service, a process and a clock that the test controls. */
export interface NodeOutboxFixture {
  readonly outbox: NodeOutbox
  readonly log: EventLog
  readonly clock: ManualClock
  readonly service: FakeService
  readonly process: FakeProcess
  readonly warnings: string[]
  /** `<name> <reason>` of each dropped event. */
  readonly dropped: string[]
  readonly reports: SendReport[]
  /** Number of events in each batch that the service has stored. */
  batchSizes(): number[]
  accept(...names: string[]): void
}

/** The JSON of an event, as the pipeline creates it. */
export const eventJson = (event: string, length = 0): string =>
  JSON.stringify({ uuid: event, event, distinct_id: 'u', timestamp: '', properties: { text: 'x'.repeat(length) } })

export const nodeOutboxFixture = (
  options: Partial<NodeOutboxOptions> = {},
  ports: Partial<NodeOutboxPorts> = {},
  limits: Partial<EventLogLimits> = {},
): NodeOutboxFixture => {
  const clock = manualClock()
  const service = fakeService()
  const process = fakeProcess()
  const warnings: string[] = []
  const dropped: string[] = []
  const reports: SendReport[] = []
  const drop = (json: string, reason: string): void => {
    dropped.push(`${(JSON.parse(json) as { event: string }).event} ${reason}`)
  }
  const log = ports.log ?? createMemoryEventLog({ maxEvents: 250_000, maxBytes: 1e8, ...limits }, drop)
  const outbox = createNodeOutbox(
    {
      url: 'https://service/batch/',
      apiKey: 'key',
      flushAt: 100,
      flushInterval: 3_000,
      maxBatchSize: 1_000,
      fetchRetryCount: 3,
      fetchRetryDelay: 3_000,
      requestTimeout: 10_000,
      disableCompression: false,
      historicalMigration: false,
      onSend: (report) => reports.push(report),
      ...options,
    },
    {
      clock,
      log,
      storage: createMemoryKeyValue(),
      send: service.send,
      compressor: async (json) => gzipSync(json),
      process,
      random: () => 0.5,
      logger: { warn: (...message) => warnings.push(message.join(' ')), debug: () => {} },
      isOptedOut: () => false,
      ...ports,
    },
    drop,
  )
  return {
    outbox,
    log,
    clock,
    service,
    process,
    warnings,
    dropped,
    reports,
    batchSizes: () => service.batches.map(({ batch }) => batch.length),
    accept(...names) {
      for (const name of names) outbox.accept(eventJson(name))
    },
  }
}
