import { connect } from 'node:net'

/**
 * Sends requests over one connection, one at a time. It is cheap, so that the server is measured: requests are built in advance, and only
 * status and length of a response are read.
 *
 * @param {string} url Origin of the server.
 * @param {() => Buffer | null | Promise<Buffer | null>} nextRequest Returns the bytes of the next request, or null to end.
 * @param {() => void} onResponse Called when a response is complete.
 * @param {() => void} [onBusy] Called for each 503 with `Retry-After`, after which the request is sent again. Default: a 503 is an error.
 * @returns {Promise<void>} Rejects if a response is not 200.
 */
export const runConnection = (url, nextRequest, onResponse, onBusy) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    /** Received bytes of the response, and its total size once the header is complete. */
    let [received, expected, header] = [0, -1, '']
    /** @type {Buffer | null} */
    let request = null
    const fail = (error) => {
      socket.destroy()
      reject(error)
    }
    const write = (bytes) => {
      request = bytes
      if (request === null) {
        socket.destroy()
        resolve()
        return
      }
      ;[received, expected, header] = [0, -1, '']
      socket.write(request)
    }
    const send = () => {
      try {
        const bytes = nextRequest()
        if (bytes instanceof Promise) bytes.then(write).catch(fail)
        else write(bytes)
      } catch (error) {
        fail(error)
      }
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('end', () => reject(new Error('The server closed a connection; see its log.')))
    socket.on('data', (chunk) => {
      received += chunk.length
      if (expected < 0) {
        header += chunk.latin1Slice(0, chunk.length)
        const end = header.indexOf('\r\n\r\n')
        if (end < 0) return
        const isRefused = onBusy !== undefined && header.startsWith('HTTP/1.1 503')
        if (!isRefused && !header.startsWith('HTTP/1.1 200')) {
          fail(new Error(`The server did not respond with 200: ${header}`))
          return
        }
        expected = end + 4 + Number(/^content-length: (\d+)/im.exec(header)[1])
      }
      if (received < expected) return
      if (header.startsWith('HTTP/1.1 200')) {
        onResponse()
        send()
      } else {
        onBusy?.()
        setTimeout(write, readRetryAfterMs(header), request)
      }
    })
  })

const readRetryAfterMs = (header) => Number(/^retry-after: (\d+)/im.exec(header)?.[1] ?? 1) * 1000

/**
 * Creates the function that returns the bytes of a POST request with a body.
 *
 * @param {string} url
 * @param {string} contentType
 */
export const createPosts = (url, contentType) => {
  const { host, pathname, search } = new URL(url)
  const start = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType}\r\nContent-Length: `
  return (/** @type {string | Buffer} */ body) => {
    const bytes = Buffer.from(body)
    return Buffer.concat([Buffer.from(`${start}${bytes.length}\r\n\r\n`), bytes])
  }
}
