import { expect, test } from 'vitest'
import { createLogs } from '../../../src/service/log/create-logs.ts'
import { PartialWriteError } from '../../../src/service/log/write-bytes.ts'

/** Logs whose output takes `room` characters. */
const openLogs = () => {
  const output = { text: '', room: Infinity, clock: 0 }
  const write = (text: string): void => {
    const taken = text.slice(0, output.room)
    output.text += taken
    output.room -= taken.length
    if (taken === text) return
    throw taken === '' ? new Error('no space') : new PartialWriteError('no space')
  }
  const logOf = createLogs({ write, now: () => 0, monotonicNow: () => output.clock })
  return { output, logOf }
}

const TIME = '1970-01-01T00:00:00.000Z'

test('writes one line for each record', () => {
  const { output, logOf } = openLogs()
  logOf('indexer').info('It runs.')
  logOf('http').warn('Slow:\n  very.')
  expect(output.text).toBe(`${TIME} info  indexer: It runs.\n${TIME} warn  http: Slow: very.\n`)
})

test('counts lost lines and says so once, before the next line', () => {
  const { output, logOf } = openLogs()
  const { warn } = logOf('inbox')
  output.room = 0
  for (let count = 0; count < 3; count++) warn('lost')
  output.room = Infinity
  warn('kept')
  warn('kept')
  expect(output.text).toBe(
    `${TIME} warn  log: 3 lines before this one could not be written (no space).\n${TIME} warn  inbox: kept\n${TIME} warn  inbox: kept\n`,
  )
})

test('begins a new line after a torn one', () => {
  const { output, logOf } = openLogs()
  const { warn } = logOf('inbox')
  output.room = 30
  warn('torn')
  output.room = 0
  warn('lost')
  output.room = Infinity
  warn('kept')
  expect(output.text.split('\n')).toEqual([
    `${TIME} warn `,
    `${TIME} warn  log: 2 lines before this one could not be written (no space).`,
    `${TIME} warn  inbox: kept`,
    '',
  ])
})

test('keeps counting while there is only room for the count', () => {
  const { output, logOf } = openLogs()
  const { warn } = logOf('inbox')
  output.room = 0
  warn('a')
  output.room = `${TIME} warn  log: 1 line before this one could not be written (no space).\n`.length
  warn('b')
  output.room = Infinity
  warn('c')
  expect(output.text.match(/\d+ line/g)).toEqual(['1 line', '1 line'])
  expect(output.text).toMatch(/inbox: c\n$/)
})

test('throttles errors of a kind for each subject', () => {
  const { output, logOf } = openLogs()
  const [inbox, http] = [logOf('inbox').error, logOf('http').error]
  for (let count = 0; count < 3; count++) inbox('full')
  http('full')
  output.clock = 10_000
  inbox('full')
  expect(output.text.trim().split('\n')).toEqual([
    `${TIME} error inbox: full`,
    `${TIME} error http: full`,
    `${TIME} error inbox: full (2 more like it since the last one)`,
  ])
})
