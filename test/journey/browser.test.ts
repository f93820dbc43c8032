import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, launchPersistent } from '../support/browser.ts'
import { removeFolder } from '../support/remove-folder.ts'

let server: Server
let url: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-browser-'))
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>A page</title>'))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})

afterAll(async () => {
  server.close()
  await removeFolder(folder)
})

test('keeps a profile when the browser is killed and started again', async () => {
  const first = await launchPersistent(folder)
  const page = await first.context.newPage()
  await page.goto(url)
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('events', 1)
        opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('records'))
        opening.addEventListener('success', () => {
          const transaction = opening.result.transaction('records', 'readwrite')
          transaction.objectStore('records').put('value', 'key')
          transaction.addEventListener('complete', () => resolve())
          transaction.addEventListener('error', () => reject(new Error('The record was not written.')))
        })
      }),
  )
  await first.kill()
  expect(() => process.kill(first.pid, 0)).toThrow('ESRCH')

  const second = await launchPersistent(folder)
  const reopened = await second.context.newPage()
  await reopened.goto(url)
  expect(await reopened.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual(['events'])
  await second.close()
})

test('restores a page from the back/forward cache', async () => {
  const browser = await launch()
  const page = await browser.newPage()
  await page.goto(url)
  await page.evaluate(() => Object.assign(globalThis, { mark: 1 }))
  await page.goto(`${url}other`)
  // A restored page has no load event.
  await page.goBack({ waitUntil: 'commit' })
  expect(await page.evaluate(() => (globalThis as { mark?: number }).mark)).toBe(1)
  await browser.close()
})
