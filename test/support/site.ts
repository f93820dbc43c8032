import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A website with the agent's script tag on every page. */
export interface Site {
  /** Origin, without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

/** One file of the site. */
export interface SiteFile {
  readonly contentType: string
  /** A function writes the body into the response, in its own time. */
  readonly body: string | ((response: ServerResponse) => void)
}

/** The attributes of the script tag, without the prefix `data-`. */
export interface ScriptTagAttributes {
  readonly key: string
  readonly host: string
  /** Further options, as JSON. */
  readonly options?: string
}

/**
 * Serves the same page at every path not in `files`, and the built script at `/waymark.js`, on a free port of 127.0.0.1.
 *
 * @param files Further files by path. A string is HTML placed after the script tag; that tag then has no `defer`.
 * @param scriptPath The built script.
 */
export const startSite = async (
  tag: ScriptTagAttributes,
  files: Readonly<Record<string, string | SiteFile>> = {},
  scriptPath = 'dist/script.js',
): Promise<Site> => {
  const script = await readFile(scriptPath, 'utf8')
  const attributes = Object.entries(tag).map(([name, value]) => `data-${name}='${value}'`)
  const page = (loadingAttribute: string, html: string): SiteFile => ({
    contentType: 'text/html',
    body: `<!doctype html><title>A shop</title><script ${loadingAttribute} src="/waymark.js" ${attributes.join(' ')}></script>${html}`,
  })
  const shop = page('defer', `<h1>A shop</h1><button onclick="waymark.capture('bought', { item: 'tea' })">Buy</button>`)
  const findFile = (path: string): SiteFile => {
    if (path === '/waymark.js') return { contentType: 'text/javascript', body: script }
    const file = files[path]
    return typeof file === 'string' ? page('', file) : (file ?? shop)
  }
  const server = createServer((request, response) => {
    const { contentType, body } = findFile(request.url!)
    response.setHeader('Content-Type', contentType)
    if (typeof body === 'string') response.end(body)
    else body(response)
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
