import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import { expect } from 'vitest'
import { lossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'

const cell = lossMatrix('worker')

/** What a worker is asked to capture. */
type Order = readonly [key: string, host: string, name: string]

/** The package's entry as a bundler puts it into a worker, which captures 20 events when it is asked to, and says how that went. */
const worker = await (async (): Promise<string> => {
  const built = await rollup({
    input: 'worker',
    plugins: [
      {
        name: 'worker',
        resolveId: (id) => (id === 'worker' ? id : null),
        load: (id) =>
          id === 'worker'
            ? `import { init } from '${process.cwd()}/dist/index.js'
               onmessage = ({ data: [key, host, name], ports: [port] }) => {
                 try {
                   const waymark = init(key, { host })
                   for (let n = 0; n < 20; n++) waymark.capture(name, { n })
                   port.postMessage(typeof window + ' ' + waymark.getDistinctId().length)
                 } catch (error) {
                   port.postMessage(String(error))
                 }
               }`
            : null,
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
})()
/** The page has no agent of its own that could deliver for the worker. */
const files = () => ({
  '/worker.js': { contentType: 'text/javascript', body: worker },
  '/bare': { contentType: 'text/html', body: '<!doctype html><title>A page without an agent</title>' },
})

const orderOf = ({ key, front, name }: Cell): Order => [key, front.url, name]
/** There is no window, and the user has an id. */
const DONE = 'undefined 36'

cell('20 events captured in a service worker', { captured: 20, files }, async (own) => {
  const page = await own.open('/bare')
  const answer = await page.evaluate(async (order) => {
    await navigator.serviceWorker.register('/worker.js')
    const { active } = await navigator.serviceWorker.ready
    const { port1, port2 } = new MessageChannel()
    active!.postMessage(order, [port2])
    return new Promise((resolve) => {
      port1.addEventListener('message', ({ data }) => resolve(data))
      port1.start()
    })
  }, orderOf(own))
  expect(answer).toBe(DONE)
  await own.stored(20)
  return page
})

cell('20 events captured in a worker without `window`', { captured: 20, files }, async (own) => {
  const page = await own.open('/bare')
  const answer = await page.evaluate((order) => {
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker('/worker.js')
    worker.postMessage(order, [port2])
    return new Promise((resolve) => {
      worker.addEventListener('error', ({ message }) => resolve(message))
      port1.addEventListener('message', ({ data }) => resolve(data))
      port1.start()
    })
  }, orderOf(own))
  expect(answer).toBe(DONE)
  await own.stored(20)
  return page
})
