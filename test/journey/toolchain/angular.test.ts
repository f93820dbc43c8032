import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { servePages } from '../../support/page-server.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { createApp } from './create-app.ts'
import { serveFolder } from './serve-folder.ts'
import { removeFolder } from '../../support/remove-folder.ts'

const app = createApp('angular')
const pages = servePages(serveFolder(() => join(app.folder, 'site')))
let dataFolder: string
let service: RunningService

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'waymark-angular-'))
  service = await startJourneyService(dataFolder)
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(dataFolder)
})

/** A component whose code runs in the zone of Angular, where the first call starts the agent. */
const MAIN = ({ apiKey, url }: Pick<RunningService, 'apiKey' | 'url'>): string => `
  import 'zone.js'
  import '@angular/compiler'
  import { ApplicationRef, Component, NgZone, provideZoneChangeDetection } from '@angular/core'
  import { bootstrapApplication } from '@angular/platform-browser'
  import { init } from 'waymark'

  const waymark = init('${apiKey}', { host: '${url}' })
  class Shop {
    constructor() {
      NgZone.assertInAngularZone()
      waymark.capture('component created')
    }
  }
  Component({ selector: 'shop-root', template: '<p>Shop</p>' })(Shop)
  bootstrapApplication(Shop, { providers: [provideZoneChangeDetection()] }).then((app) =>
    app.isStable.subscribe((isStable) => (document.title = isStable ? 'stable' : 'busy')),
  )`

it('lets an app of Angular become stable, although the agent waits for its next load of flags', async () => {
  app.write({
    'main.js': MAIN(service),
    'site/index.html':
      '<!doctype html><title>empty</title><shop-root></shop-root><script type="module" src="/main.js"></script>',
  })
  // Angular's builds do the same with async functions, so that zone.js follows them.
  app.run(
    'esbuild/bin/esbuild',
    'main.js',
    '--bundle',
    '--format=esm',
    '--target=es2016',
    '--outfile=site/main.js',
    '--log-level=error',
  )
  const page = await pages.context.newPage()
  await page.goto(`${pages.origin}/`)
  await expect
    .poll(() => service.query(`select event from events where event = 'component created'`))
    .toEqual([['component created']])
  await expect.poll(() => page.title()).toBe('stable')
})
