import { expect, it } from 'vitest'
import { createWarnOnce } from '../../src/lib/warn-once.ts'

it('warns of each problem once, and then writes debug messages', () => {
  const messages: (readonly unknown[])[] = []
  const log =
    (level: string) =>
    (...message: readonly unknown[]): void =>
      void messages.push([level, ...message])
  const warnOnce = createWarnOnce({ warn: log('warn'), debug: log('debug') })
  warnOnce('id', 'bad id:', 'a')
  warnOnce('id', 'bad id:', 'b')
  expect(messages).toEqual([
    ['warn', 'bad id:', 'a'],
    ['debug', 'repeated', 'bad id:', 'b'],
  ])
})
