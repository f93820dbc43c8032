import { expect, it } from 'vitest'
import { describeException } from '../../../src/autocapture/react-native/describe-exception.ts'

interface Description {
  readonly $exception_level: string
  readonly $exception_list: {
    readonly type: string
    readonly value: string
    readonly mechanism: object
    readonly stacktrace?: { readonly type: string; readonly frames: readonly object[] }
  }[]
}

const describeList = (error: unknown) => (describeException(error, 'uncaught') as Description).$exception_list

it('has the type, the message and the frames of an error', () => {
  const description = describeException(new TypeError('no cart'), 'fatal') as Description
  expect(description).toMatchObject({
    $exception_level: 'fatal',
    $exception_list: [
      {
        type: 'TypeError',
        value: 'no cart',
        mechanism: { type: 'onuncaughtexception', handled: false, synthetic: false },
        stacktrace: { type: 'raw' },
      },
    ],
  })
  expect(description.$exception_list[0]!.stacktrace!.frames.length).toBeGreaterThan(0)
})

it('tells an error that the app has caught from one that ends it', () => {
  expect(describeException(new Error('a'), 'handled')).toMatchObject({
    $exception_level: 'error',
    $exception_list: [{ mechanism: { type: 'generic', handled: true } }],
  })
  expect(describeException(new Error('a'), 'uncaught')).toMatchObject({
    $exception_level: 'error',
    $exception_list: [{ mechanism: { type: 'onuncaughtexception', handled: false } }],
  })
})

it('has the causes of an error, also when they form a cycle', () => {
  const cause = new Error('offline')
  expect(describeList(new Error('not paid', { cause })).map(({ value }) => value)).toEqual(['not paid', 'offline'])
  cause.cause = cause
  expect(describeList(cause)).toHaveLength(5)
})

it.each([
  ['a string', 'closed', 'closed'],
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 7, '7'],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['an object', { token: 'secret', code: 7 }, 'an object with token, code'],
  ['an empty object', {}, 'an object with no properties'],
])('describes %s that was thrown, but no values of an object', (_name, thrown, value) => {
  const [exception, ...others] = describeList(thrown)
  expect([exception, others]).toMatchObject([{ type: 'Error', value, mechanism: { synthetic: true } }, []])
})

it.each(['message', 'name', 'stack'] as const)(
  'keeps the others when the %s of an error cannot be read',
  (property) => {
    const cause = Object.defineProperty(new Error('offline'), property, {
      get: () => expect.unreachable('not readable'),
    })
    expect(describeList(new Error('not paid', { cause }))).toMatchObject([
      { value: 'not paid' },
      { type: 'Error', value: 'an error that cannot be read', mechanism: { synthetic: true } },
    ])
  },
)

it('describes an error whose cause cannot be read', () => {
  const error = Object.defineProperty(new Error('not paid'), 'cause', { get: () => expect.unreachable('not readable') })
  expect(describeList(error).map(({ value }) => value)).toEqual(['not paid'])
})

it('cuts a long message', () => {
  expect(describeList(new Error('x'.repeat(5_000)))[0]!.value).toHaveLength(1_024)
})
