import { expect, it } from 'vitest'
import { createWarnOnce } from '../../src/port/warn-once.ts'

it('warns of each problem once, and then writes debug messages', () => {
  const messages: unknown[][] = []
  const log =
    (level: string) =>
    (...message: unknown[]): void =>
      void messages.push([level, ...message])
  const warnOnce = createWarnOnce({ warn: log('warn'), debug: log('debug') }, new Set(['quiet']))
  warnOnce('id', 'bad id:', 'a')
  warnOnce('id', 'bad id:', 'b')
  warnOnce('quiet', 'dropped:', 'c')
  expect(messages).toEqual([
    ['warn', 'bad id:', 'a'],
    ['debug', 'bad id:', 'b'],
    ['debug', 'dropped:', 'c'],
  ])
})
