import { describe, expect, it } from 'vitest'
import { createFetchStream } from '../../../src/platform/edge/fetch-stream.ts'
import { testOpenStream } from '../../contract/open-stream.ts'

describe('fetch', () => {
  testOpenStream((headers) => createFetchStream({ headers }))

  const heardOf = async (answer: Response | Promise<Response>) => {
    const heard: unknown[] = []
    createFetchStream({ fetch: async () => answer })(
      'https://a.test/',
      {},
      {
        head: ({ status }) => heard.push(status),
        text: (text) => heard.push(text),
        end: () => heard.push('end'),
      },
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    return heard
  }

  it('that cannot read an answer while it comes ends it', async () => {
    expect(await heardOf(new Response(null))).toEqual([200, 'end'])
  })

  it('that follows redirects all the same is not believed', async () => {
    const answer = new Response('id: 1\n\n')
    Object.defineProperty(answer, 'redirected', { value: true })
    expect(await heardOf(answer)).toEqual(['end'])
  })

  it('that does not know the signal: the answer is let go of when it is closed', async () => {
    let isCancelled = false
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const heard: unknown[] = []
    const close = createFetchStream({ fetch: async () => new Response(body) })(
      'https://a.test/',
      {},
      { head: () => heard.push('head'), text: () => {}, end: () => heard.push('end') },
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([isCancelled, heard]).toEqual([true, ['head']])
  })
})
