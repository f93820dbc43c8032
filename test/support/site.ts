import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web site with the agent's script tag on every page, as its owner would put it there. */
export interface Site {
  /** Origin, without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

/** The attributes of the script tag, without their `data-`. */
export interface ScriptTag {
  readonly key: string
  readonly host: string
  /** Any further option, as JSON. */
  readonly options?: string
}

/** Serves the same page at every path, and the built script at `/waymark.js`, on a free port of loopback. */
export async function startSite(tag: ScriptTag): Promise<Site> {
  const script = await readFile('dist/script.js')
  const attributes = Object.entries(tag).map(([name, value]) => `data-${name}='${value}'`)
  const page = `<!doctype html><title>A shop</title><script defer src="/waymark.js" ${attributes.join(' ')}></script>
    <h1>A shop</h1><button onclick="waymark.capture('bought', { item: 'tea' })">Buy</button>`
  const server = createServer((request, response) => {
    const isScript = request.url === '/waymark.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
