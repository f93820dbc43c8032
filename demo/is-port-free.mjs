import { createServer } from 'node:net'

/** Resolves with true if a server can listen on this port of 127.0.0.1. */
export const isPortFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
