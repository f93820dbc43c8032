import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import { expect } from 'vitest'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'

const testCell = defineLossMatrix('worker')

/** The message that makes the worker capture events. */
type CaptureMessage = readonly [key: string, host: string, name: string]

/** A bundled worker in one file, with an entry of the package. It captures 20 events on a message, and responds with the result. */
const buildWorker = async (entry: string): Promise<string> => {
  const bundle = await rollup({
    input: 'worker',
    plugins: [
      {
        name: 'worker',
        resolveId: (id) => (id === 'worker' ? id : null),
        load: (id) =>
          id === 'worker'
            ? `import { init } from '${process.cwd()}/dist/${entry}.js'
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
  const { output } = await bundle.generate({ format: 'iife', inlineDynamicImports: true })
  await bundle.close()
  return output[0].code
}

const serviceWorker = await buildWorker('full')
const worker = await buildWorker('index')
/** The page has no agent that could deliver the worker's events. */
const files = () => ({
  '/service-worker.js': { contentType: 'text/javascript', body: serviceWorker },
  '/worker.js': { contentType: 'text/javascript', body: worker },
  '/bare': { contentType: 'text/html', body: '<!doctype html><title>A page without an agent</title>' },
})

const createMessage = ({ key, proxy, name }: Cell): CaptureMessage => [key, proxy.url, name]
/** The worker has no window, and the agent has a distinct id of 36 characters. */
const EXPECTED_RESULT = 'undefined 36'

testCell('20 events captured in a service worker', { captured: 20, files }, async (cell) => {
  const page = await cell.open('/bare')
  const result = await page.evaluate(async (message) => {
    await navigator.serviceWorker.register('/service-worker.js')
    const { active } = await navigator.serviceWorker.ready
    const { port1, port2 } = new MessageChannel()
    active!.postMessage(message, [port2])
    return new Promise((resolve) => {
      port1.addEventListener('message', ({ data }) => resolve(data))
      port1.start()
    })
  }, createMessage(cell))
  expect(result).toBe(EXPECTED_RESULT)
  await cell.waitForStored(20)
  return page
})

testCell('20 events captured in a worker without `window`', { captured: 20, files }, async (cell) => {
  const page = await cell.open('/bare')
  const result = await page.evaluate((message) => {
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker('/worker.js')
    worker.postMessage(message, [port2])
    return new Promise((resolve) => {
      worker.addEventListener('error', (error) => resolve(error.message))
      port1.addEventListener('message', ({ data }) => resolve(data))
      port1.start()
    })
  }, createMessage(cell))
  expect(result).toBe(EXPECTED_RESULT)
  await cell.waitForStored(20)
  return page
})
