import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, it } from 'vitest'
import { decodeBody } from '../support/fake-service.ts'
import { servePages } from '../support/page-server.ts'

const FILES: Readonly<Record<string, Buffer>> = {
  '/waymark.js': await readFile('dist/script.js'),
  '/waymark-lz64.js': await readFile('dist/waymark-lz64.js'),
}

let gzip: 'missing' | 'present'
let hasChunk: boolean
/** Paths of the scripts that pages have requested, and batches in the order of their arrival. */
let scripts: string[]
let batches: { readonly contentType: string; readonly json: string }[]
beforeEach(() => {
  gzip = 'missing'
  hasChunk = true
  scripts = []
  batches = []
})

const pages = servePages((request, response) => {
  const path = request.url!.split('?')[0]!
  if (request.method !== 'GET')
    return void buffer(request).then((body) => {
      const contentType = request.headers['content-type']!
      const isGzip = body[0] === 0x1f
      if (path === '/batch/')
        batches.push({ contentType, json: decodeBody(isGzip ? body : body.toString(), contentType) })
      response.end(path === '/batch/' ? '{"status":1}' : '{}')
    })
  if (path.endsWith('.js')) scripts.push(path)
  const file = hasChunk || path === '/waymark.js' ? FILES[path] : undefined
  if (path.endsWith('.js') && !file) return response.writeHead(404).end()
  const change = gzip === 'missing' ? '<script>delete window.CompressionStream</script>' : ''
  return response
    .setHeader('Content-Type', file ? 'text/javascript' : 'text/html')
    .end(file ?? `<!doctype html>${change}<script defer src="/waymark.js" data-key="key"></script>`)
})

/** Opens a page, and returns a function that delivers one event and returns the content type of its batch. */
const visit = async (): Promise<() => Promise<string>> => {
  const page = await pages.context.newPage()
  await page.goto(pages.origin)
  let count = 0
  return async () => {
    const name = `event ${++count}`
    await page.evaluate(`waymark.capture('${name}', { text: 'x'.repeat(300) }); waymark.flush()`)
    const batch = batches.find(({ json }) => json.includes(name))
    return batch!.contentType
  }
}

it('a browser without gzip loads lz64 with its first batch, and then sends that', async () => {
  const deliver = await visit()
  expect(await deliver()).toBe('text/plain')
  await expect.poll(deliver).toBe('application/x-www-form-urlencoded')
})

it('a browser without gzip and without the chunk sends plain JSON, and asks for the chunk once', async () => {
  hasChunk = false
  const deliver = await visit()
  await deliver()
  await expect.poll(() => scripts).toContain('/waymark-lz64.js')
  for (let i = 0; i < 3; i++) expect(await deliver()).toBe('text/plain')
  expect(scripts.filter((path) => path === '/waymark-lz64.js')).toHaveLength(1)
})

it('a browser with gzip loads no further code', async () => {
  gzip = 'present'
  const deliver = await visit()
  expect(await deliver()).toBe('text/plain')
  expect(scripts).toEqual(['/waymark.js'])
})
