import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { launch } from '../support/browser.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'

declare const waymark: Waymark

let folder: string
let service: RunningService
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-exceptions-'))
  service = await startJourneyService(join(folder, 'data'))
  browser = await launch()
})
afterAll(async () => {
  // First, because the service process would survive if closing an unstarted browser threw an error.
  await service.kill()
  await browser.close()
  await removeFolder(folder)
})

// Even for one that is caught, Chromium may parse the whole script again; and who debugs a site stops at it.
it.each(['script', 'script-core', 'script-capture'])(
  '%s.js throws no exception, on a first visit and on a later one',
  async (name) => {
    const site = await startSite({ key: service.apiKey, host: service.url }, {}, `dist/${name}.js`)
    const context = await browser.newContext()
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    const exceptions: string[] = []
    devtools.on('Debugger.paused', ({ data, callFrames }) => {
      exceptions.push(`${String(data?.['description'])} in ${callFrames[0]?.functionName}`)
      void devtools.send('Debugger.resume')
    })
    await devtools.send('Debugger.enable')
    await devtools.send('Debugger.setPauseOnExceptions', { state: 'all' })
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(site.url)
      // The core cannot load its delivery from this site.
      if (name === 'script-core') await page.evaluate(() => waymark.capture('opened'))
      else await page.evaluate(() => waymark.flush())
    }
    expect(exceptions).toEqual([])
    await context.close()
    await site.close()
  },
)
