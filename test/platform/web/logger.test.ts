import { afterEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/platform/web/logger.ts'
import type { Describe } from '../../../src/platform/web/logger.ts'

const describeForTest: Describe = (timeMs, topic, ...details) =>
  topic === 'flags' ? undefined : [timeMs, `about ${topic}`, ...details]

const spyOnConsole = (): { readonly lines: unknown[][] } => {
  const lines: unknown[][] = []
  vi.spyOn(Date, 'now').mockReturnValue(1_000)
  for (const method of ['log', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((...message) => void lines.push([method, ...message]))
  return { lines }
}

afterEach(() => vi.restoreAllMocks())

it('writes warnings at once, without loading the sentences', () => {
  const { lines } = spyOnConsole()
  const load = vi.fn<() => never>()
  const logger = createLogger(load)
  logger.warn('lost', 3)
  logger.debug('captured', '{}')
  expect(lines).toEqual([['warn', '[waymark]', 'lost', 3]])
  expect(load).not.toHaveBeenCalled()
})

it('keeps the lines of debug mode until the sentences have come, with their times', async () => {
  const { lines } = spyOnConsole()
  let arrive!: (chunk: { createDescriber: () => Describe }) => void
  const load = vi.fn(() => new Promise<{ createDescriber: () => Describe }>((resolve) => (arrive = resolve)))
  const logger = createLogger(load)
  logger.setDebug(true)
  logger.debug('captured', 'a')
  logger.advise('unknown_option', 'b')
  logger.debug('flags', {}, { errorsLoading: false })
  expect(lines).toEqual([])
  vi.mocked(Date.now).mockReturnValue(2_000)
  arrive({ createDescriber: () => describeForTest })
  await new Promise(setImmediate)
  logger.setDebug(false)
  logger.debug('captured', 'c')
  expect(lines).toEqual([
    ['log', '[waymark]', 1_000, 'about captured', 'a'],
    ['warn', '[waymark]', 1_000, 'about unknown_option', 'b'],
  ])
  expect(load).toHaveBeenCalledTimes(1)
})

it('writes entries as they are when the sentences do not come', async () => {
  const { lines } = spyOnConsole()
  const logger = createLogger(() => Promise.reject(new Error('blocked')))
  logger.advise('unknown_option', 'api_host')
  await new Promise(setImmediate)
  logger.advise('unknown_option', 'later')
  await new Promise(setImmediate)
  expect(lines.map((line) => line.slice(2))).toEqual([
    ['unknown_option', 'api_host'],
    ['unknown_option', 'later'],
  ])
})

it('ends when a page captures each line of its console, which debug mode tells in a line', async () => {
  const { lines } = spyOnConsole()
  const loggers = [0, 1].map(() => createLogger(async () => ({ createDescriber: () => describeForTest })))
  for (const method of ['log', 'warn'] as const) {
    vi.mocked(console[method]).mockImplementation((...message) => {
      lines.push([method, ...message])
      for (const logger of loggers) {
        logger.debug('captured', '{}')
        logger.warn('not captured')
      }
    })
  }
  for (const logger of loggers) logger.setDebug(true)
  loggers[0]!.debug('captured', '{}')
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(lines).toEqual([['log', '[waymark]', 1_000, 'about captured', '{}']])
})
