import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Returns an origin on 127.0.0.1 that refuses connections: a server has just closed it. */
export const findClosedPort = async (): Promise<string> => {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
