import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** A service on localhost that records the names of received events. */
export interface Sink {
  readonly url: string
  readonly names: string[]
  requests: number
}

/** @param status The status of its responses. */
export const startSink = async (status = 200): Promise<Sink> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const json = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      const { batch } = JSON.parse(json.toString()) as { batch: { event: string }[] }
      sink.requests++
      if (status === 200) for (const { event } of batch) sink.names.push(event)
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`,
    names: [],
    requests: 0,
  }
  return sink
}
