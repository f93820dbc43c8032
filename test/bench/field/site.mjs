import { createServer } from 'node:http'
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { markScript } from './marks.mjs'

/**
 * Starts a site with an agent on its own origin. The script comes by URL, and so does what it loads later from beside it. Every page is
 * cross-origin isolated, so that `performance.now()` has a resolution of 5 µs instead of 100 µs
 * (https://developer.chrome.com/blog/cross-origin-isolated-hr-timers).
 *
 * @param {import('./bundle.mjs').BuiltAgent} agent
 * @param {string} host The URL of the agent's service.
 * @param {string} [onLoad] What the page runs after the script, as JavaScript.
 */
export const startSite = async (agent, host, onLoad) => {
  /** Bytes of the scripts that the page has loaded, by path: after gzip -9, and without the marks of the bench. */
  const downloads = new Map()
  const server = createServer(({ url }, response) => {
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    const path = new URL(url, 'http://site').pathname
    const tag = path === '/' ? createTag(agent, host, onLoad) : ''
    if (path === '/' || path === '/blank') return sendPage(response, tag)
    const name = posix.basename(path)
    const script = findScript(agent, name)
    if (!script) return response.writeHead(404).end()
    downloads.set(name, script.bytes)
    response.setHeader('Content-Type', 'text/javascript')
    response.setHeader('Content-Encoding', 'gzip')
    return response.end(script.body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/`
  return {
    url,
    /** A page without the agent. */
    blankUrl: `${url}blank`,
    downloads,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

const sendPage = (response, tag) => {
  response.setHeader('Content-Type', 'text/html')
  response.end(`<!doctype html><title>bench</title><h1>Shoes</h1><p>A page of a shop.</p>${tag}`)
}

const createTag = ({ entry, isModule }, host, onLoad) => {
  if (!entry) return ''
  const listener = onLoad ? ` onload="${onLoad}"` : ''
  // A script tag takes the host from its attributes, and a bundle from the global.
  return isModule
    ? `<script>benchHost = '${host}'</script><script type="module" async src="/js/${entry}"${listener}></script>`
    : `<script async src="/js/${entry}" data-key="bench" data-host="${host}"${listener}></script>`
}

/** Compressed scripts by agent and name, so that no visit waits for a compression. */
const compressed = new Map()

const findScript = (agent, name) => {
  const key = `${agent.name}/${name}`
  if (!compressed.has(key)) compressed.set(key, compressScript(agent.readScript(name), name === agent.entry))
  return compressed.get(key)
}

const compressScript = (code, isEntry) => {
  if (code === undefined) return undefined
  return { bytes: gzip(code).length, body: gzip(isEntry ? markScript(code) : code) }
}

const gzip = (code) => gzipSync(code, { level: 9 })
