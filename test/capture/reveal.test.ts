import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { serialise } from '../../src/capture/serialise.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import { createNodeAgentHarness } from '../support/node-agent-harness.ts'

/** What a value becomes as a property. */
const send = (value: unknown): unknown => (JSON.parse(serialise({ value })) as { value: unknown }).value

class HttpError extends Error {
  override name = 'HttpError'
  status = 503
}

describe('as a property', () => {
  it.each<[string, unknown, unknown]>([
    ['an error', new TypeError('broken'), { name: 'TypeError', message: 'broken' }],
    ['an error with fields', new HttpError('down'), { name: 'HttpError', message: 'down', status: 503 }],
    [
      'an error with its cause',
      new Error('outer', { cause: new RangeError('inner') }),
      { name: 'Error', message: 'outer', cause: { name: 'RangeError', message: 'inner' } },
    ],
    [
      'several errors',
      new AggregateError([new Error('a'), 'b'], 'all'),
      { name: 'AggregateError', message: 'all', errors: [{ name: 'Error', message: 'a' }, 'b'] },
    ],
    ['an error of the browser', new DOMException('no', 'AbortError'), { name: 'AbortError', message: 'no' }],
    ['an error of another frame', runInNewContext('new TypeError("far")'), { name: 'TypeError', message: 'far' }],
    [
      'a map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, new Set([3])],
      ]),
      { a: 1, 2: [3] },
    ],
    ['a map by objects', new Map([[{ id: 1 }, 'one']]), [[{ id: 1 }, 'one']]],
    ['a set', new Set(['a', 7n, new Map()]), ['a', '7', {}]],
    ['a list with an error', [1, new Error('x')], [1, { name: 'Error', message: 'x' }]],
    [
      'an object with a set',
      { tags: new Set(['a']), at: new Date(0) },
      { tags: ['a'], at: '1970-01-01T00:00:00.000Z' },
    ],
  ])('%s keeps what it says', (_, value, expected) => {
    expect(send(value)).toEqual(expected)
  })

  it('a class with a toJSON method keeps its own form', () => {
    class ApiError extends Error {
      toJSON(): unknown {
        return { code: 7 }
      }
    }
    expect(send(new ApiError('x'))).toEqual({ code: 7 })
  })

  it('a map that contains itself, and an error with a getter that throws, lose only that', () => {
    const map = new Map<string, unknown>([['kept', 1]])
    map.set('self', map)
    const error = Object.defineProperty(new Error('x'), 'bad', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    expect(send({ map, list: [error, 1] })).toEqual({
      map: { kept: 1, self: '[Circular]' },
      list: ['[Unreadable]', 1],
    })
  })
})

const PROPERTIES = { error: new TypeError('broken'), tags: new Set(['a']), sizes: new Map([['s', 1]]) }
const SENT = { error: { name: 'TypeError', message: 'broken' }, tags: ['a'], sizes: { s: 1 } }

describe('errors, maps and sets keep what they say', () => {
  it('in all properties that a page sends', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('failed', PROPERTIES)
    page.agent.identify('ada', PROPERTIES)
    page.agent.group('company', 'acme', PROPERTIES)
    page.agent.register(PROPERTIES)
    page.agent.capture('later')
    const [failed, identify, group, later] = await harness.deliver(page)
    expect(failed!.properties).toMatchObject(SENT)
    expect(identify!.properties.$set).toEqual(SENT)
    expect(group!.properties.$group_set).toEqual(SENT)
    expect(later!.properties).toMatchObject(SENT)
    expect(page.warnings).toEqual([])
  })

  it('in all properties that Node sends, also after before_send', async () => {
    const { agent, options, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    agent.capture({ event: 'failed', distinctId: 'ada', properties: PROPERTIES })
    agent.identify({ distinctId: 'ada', properties: PROPERTIES })
    agent.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: PROPERTIES })
    agent.register(PROPERTIES)
    agent.capture({ event: 'later', distinctId: 'ada', properties: { size: 1 } })
    options.before_send = (event) => event
    agent.capture({ event: 'hooked', distinctId: 'ada', properties: PROPERTIES })
    const [failed, identify, group, later, hooked] = await flushAndTakeEvents()
    expect(failed!.properties).toMatchObject(SENT)
    expect(identify!.properties['$set']).toEqual(SENT)
    expect(group!.properties['$group_set']).toEqual(SENT)
    expect(later!.properties).toMatchObject(SENT)
    expect(hooked!.properties).toMatchObject(SENT)
    expect(warnings).toEqual([])
  })
})
