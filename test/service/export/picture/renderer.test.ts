import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRenderer } from '../../../../src/service/export/picture/renderer.ts'
import type { Renderer, RendererOptions } from '../../../../src/service/export/picture/renderer.ts'
import { findBuiltScript } from '../../../../src/service/find-built-script.ts'
import { DASHBOARD, inspectPng, INSIGHTS, parseSvg, requestOf } from '../../support/pictures.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const openRenderer = (options: Partial<RendererOptions> = {}): Renderer => {
  const renderer = createRenderer({
    script: findBuiltScript('picture-thread'),
    fontsFolder: null,
    onWarning: (message) => expect.unreachable(message),
    ...options,
  })
  onTestFinished(() => renderer.close())
  return renderer
}

/** The script of the thread, which does as it is told by the title of a picture. */
const writeFaultyScript = (): string => {
  const script = join(createTempFolder(), 'picture-thread.mjs')
  writeFileSync(
    script,
    `import { parentPort } from 'node:worker_threads'
    const on = parentPort.on.bind(parentPort)
    parentPort.on = (name, draw) =>
      on(name, (request) => {
        const { title } = request.content
        if (title === 'exit') process.exit(1)
        if (title === 'throw') throw new Error('a bug')
        if (title === 'hang') for (;;) {}
        if (title === 'memory') for (const all = []; ;) all.push(new Array(1e6).fill(all.length))
        draw(request)
      })
    await import(${JSON.stringify(findBuiltScript('picture-thread'))})`,
  )
  return script
}

const lines = INSIGHTS['lines']!
const titled = (title: string) => requestOf({ ...lines, title })

test('draws in the thread what is asked for', async () => {
  const renderer = openRenderer()
  const png = await renderer.render(requestOf(lines, { format: 'image/png', scale: 1 }))
  expect(inspectPng(png)).toEqual({ width: 800, height: 400, isBlank: false })
  expect(parseSvg(await renderer.render(requestOf(DASHBOARD))).texts).toContain('All of it')
})

test('draws one picture after the other, in order', async () => {
  const renderer = openRenderer()
  const order: string[] = []
  const titles = ['first', 'second', 'third']
  await Promise.all(
    titles.map(async (title) => {
      expect(parseSvg(await renderer.render(titled(title))).texts).toContain(title)
      order.push(title)
    }),
  )
  expect(order).toEqual(titles)
})

test('does not block this thread while it draws', async () => {
  const renderer = openRenderer()
  await renderer.render(requestOf(lines))
  const tiles = Array.from({ length: 60 }, () => lines)
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await renderer.render(requestOf({ ...DASHBOARD, tiles }, { format: 'image/png' }))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})

test.each(['exit', 'throw', 'memory'])(
  'rejects a picture that ends the thread (%s), and draws the next one',
  async (fault) => {
    const renderer = openRenderer({ script: writeFaultyScript() })
    const ends = await Promise.allSettled(['before', fault, 'after'].map((title) => renderer.render(titled(title))))
    expect(ends).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'PictureError', code: 'crashed' } },
      { status: 'fulfilled' },
    ])
  },
)

test('rejects a picture that takes too long, and draws the next one', async () => {
  const renderer = openRenderer({ script: writeFaultyScript(), timeoutMs: 10_000 })
  const ends = await Promise.allSettled([renderer.render(titled('hang')), renderer.render(titled('after'))])
  expect(ends).toMatchObject([
    { status: 'rejected', reason: { code: 'timeout', message: expect.stringContaining('more than 10 s') } },
    { status: 'fulfilled' },
  ])
})

test('rejects a request that cannot be drawn, and draws the next one', async () => {
  const renderer = openRenderer()
  await expect(renderer.render({ ...requestOf(lines), theme: 'none' as never })).rejects.toMatchObject({
    code: 'failed',
  })
  expect(parseSvg(await renderer.render(titled('after'))).texts).toContain('after')
})

test('rejects a picture when the thread cannot start, and recovers', async () => {
  const script = join(createTempFolder(), 'picture-thread.mjs')
  const renderer = openRenderer({ script })
  await expect(renderer.render(titled('first'))).rejects.toMatchObject({ code: 'crashed' })
  writeFileSync(script, `import ${JSON.stringify(findBuiltScript('picture-thread'))}`)
  expect(parseSvg(await renderer.render(titled('second'))).texts).toContain('second')
})

test('starts the thread again after it was idle', async () => {
  const renderer = openRenderer({ idleTimeoutMs: 1 })
  await renderer.render(titled('first'))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(parseSvg(await renderer.render(titled('second'))).texts).toContain('second')
})

test('rejects pictures beyond those that may wait', async () => {
  const renderer = openRenderer()
  const ends = await Promise.allSettled(Array.from({ length: 40 }, () => renderer.render(titled('many'))))
  const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : null))
  expect(codes.slice(0, 33)).toEqual(Array.from({ length: 33 }, () => null))
  expect(codes.slice(33)).toEqual(Array.from({ length: 7 }, () => 'busy'))
})

test('rejects pictures when it is closed, and afterwards', async () => {
  const renderer = openRenderer()
  const ends = Promise.allSettled([1, 2].map(() => renderer.render(requestOf(lines))))
  await renderer.close()
  for (const end of [...(await ends), ...(await Promise.allSettled([renderer.render(requestOf(lines))]))])
    expect(end).toMatchObject({ status: 'rejected', reason: { code: 'stopping' } })
})

test('tells of a file among the fonts that is none', async () => {
  const fontsFolder = createTempFolder()
  writeFileSync(join(fontsFolder, 'broken.ttf'), 'no font')
  const warnings: string[] = []
  const renderer = openRenderer({ fontsFolder, onWarning: (message) => warnings.push(message) })
  await renderer.render(titled('茶'))
  expect(warnings).toEqual([expect.stringMatching(/broken\.ttf is not used, because it cannot be read/)])
})

test('refuses to start with a folder of fonts that does not exist', () => {
  const fontsFolder = join(createTempFolder(), 'missing')
  expect(() => openRenderer({ fontsFolder })).toThrow('--fonts-folder')
})
