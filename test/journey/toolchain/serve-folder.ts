import { existsSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/**
 * Answers with the files of a folder, at `/` with its `index.html`.
 *
 * @param headers Of every response.
 */
export const serveFolder =
  (folder: () => string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (request, response) => {
    const { pathname } = new URL(request.url!, 'http://a.test')
    const file = join(folder(), pathname === '/' ? 'index.html' : pathname)
    if (!existsSync(file)) return void response.writeHead(404).end()
    return void response
      .writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'text/plain' })
      .end(readFileSync(file))
  }
