import { createServer } from 'node:net'
import type { Config } from './config.ts'
import { toListenError } from './listen-error.ts'

/** Whether a server could listen now. Rejects with `StartError` when the port is in use or may not be opened. */
export const checkPort = ({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => reject(toListenError(error, { host, port })))
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
