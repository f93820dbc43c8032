import { expect, it } from 'vitest'
import { parseStack } from '../../../src/autocapture/react-native/parse-stack.ts'

const placesOf = (stack: string): unknown[] =>
  parseStack(stack).map(({ function: name, filename, lineno, colno }) => [name, filename, lineno, colno])

const METRO = 'http://10.0.2.2:8081/index.bundle//&platform=android&dev=true'

it.each([
  ['    at pay (address at index.android.bundle:1:345)', ['pay', 'index.android.bundle', 1, 345]],
  [`    at pay (${METRO}:12:3)`, ['pay', METRO, 12, 3]],
  [`    at anonymous (${METRO}:12:3)`, ['anonymous', METRO, 12, 3]],
  [`    at ${METRO}:12:3`, ['?', METRO, 12, 3]],
  ['    at new Cart (/app/My App/main.jsbundle:1:2)', ['new Cart', '/app/My App/main.jsbundle', 1, 2]],
  [`pay@${METRO}:12:3`, ['pay', METRO, 12, 3]],
  [`global code@${METRO}:12:3`, ['global code', METRO, 12, 3]],
  [`${METRO}:12:3`, ['?', METRO, 12, 3]],
])('reads %s', (line, place) => {
  expect(placesOf(line)).toEqual([place])
})

it.each([
  'TypeError: undefined is not a function',
  'Error: closed at 10:20:30',
  '    at apply (native)',
  '    ... skipping 90 frames',
  '[native code]',
  '',
  `    at x (${'y'.repeat(2_000)}:1:2)`,
])('leaves out %.40s', (line) => {
  expect(parseStack(line)).toEqual([])
})

it('keeps the 50 innermost calls, with the innermost one last', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `    at call${index} (app.js:${index}:1)`)
  const frames = parseStack(['Error: deep', ...lines].join('\n'))
  expect(frames).toHaveLength(50)
  expect([frames[0]!.function, frames[49]!.function]).toEqual(['call49', 'call0'])
  expect(frames[49]).toMatchObject({ platform: 'web:javascript', in_app: true })
})

it('reads the stacks of this engine', () => {
  const boom = (): Error => new Error('boom at 1:2:3')
  expect(parseStack(boom().stack!).at(-1)).toMatchObject({
    function: 'boom',
    filename: expect.stringContaining('parse-stack.test.ts') as string,
  })
})
