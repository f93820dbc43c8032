import { expect, it } from 'vitest'
import { findLongestTask } from './find-longest-task.mjs'

const SITE = 'http://site.test/'
const event = (name: string, ts: number, dur: number, url?: string, rest: object = {}): object => ({
  ph: 'X',
  pid: 1,
  tid: 1,
  name,
  ts,
  dur,
  args: url === undefined ? {} : { data: { url } },
  ...rest,
})
const task = (ts: number, dur: number): object => event('RunTask', ts, dur)
const call = (ts: number, dur: number, rest?: object): object =>
  event('FunctionCall', ts, dur, `${SITE}js/agent.js`, rest)

it('adds the functions of one task, and takes the longest task', () => {
  const events = [task(0, 9000), call(0, 2000), call(3000, 4000), task(10_000, 9000), call(10_000, 5000)]
  expect(findLongestTask(events, SITE)).toEqual({ namedMs: 6, functionsMs: 6 })
})

it('counts a function within another one once', () => {
  const compile = event('v8.compile', 100, 500, `${SITE}js/agent.js`)
  const evaluate = event('EvaluateScript', 0, 3000, `${SITE}js/agent.js`)
  expect(findLongestTask([task(0, 9000), evaluate, compile, call(1000, 500)], SITE).namedMs).toBe(3)
})

it('adds continuations of promises only to the larger figure', () => {
  const events = [task(0, 9000), call(0, 2000), event('RunMicrotasks', 2000, 3000), call(2100, 1000)]
  expect(findLongestTask(events, SITE)).toEqual({ namedMs: 3, functionsMs: 5 })
})

it('ignores the page itself, other sites and other threads', () => {
  const events = [
    task(0, 9000),
    call(0, 1000),
    event('EvaluateScript', 2000, 1000, SITE),
    event('FunctionCall', 3000, 1000, 'http://other.test/js/agent.js'),
    event('FunctionCall', 4000, 1000),
    call(5000, 1000, { tid: 2 }),
    event('RunMicrotasks', 6000, 1000, undefined, { pid: 2 }),
  ]
  expect(findLongestTask(events, SITE)).toEqual({ namedMs: 1, functionsMs: 1 })
})

it('prefers CPU time to the time of the clock', () => {
  expect(findLongestTask([task(0, 9000), call(0, 5000, { tdur: 2000 })], SITE).namedMs).toBe(2)
})

it('finds nothing on a page without an agent', () => {
  expect(findLongestTask([task(0, 9000), event('RunMicrotasks', 0, 1000)], SITE)).toEqual({
    namedMs: 0,
    functionsMs: 0,
  })
})
