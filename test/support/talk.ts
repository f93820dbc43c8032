import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Writes parts to a server by one connection, each a little after the one before, and answers all that the server says until it ends the connection.
 */
export const talk = async (port: number, ...parts: readonly string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let said = ''
  socket.on('data', (part) => (said += part.toString('latin1')))
  const ended = new Promise<void>((resolve, reject) => socket.on('close', () => resolve()).on('error', reject))
  for (const part of parts) {
    socket.write(part, 'latin1')
    // A body that arrives late, in a turn of its own, is what this is for.
    await sleep(20)
  }
  await ended
  return said
}

/** One request as it is written. */
export const written = (
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): readonly [head: string, body: string] => {
  const all = {
    Host: 'example.com:8080',
    ...headers,
    ...(body !== undefined && { 'Content-Length': `${body.length}` }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return [`${line} HTTP/1.1\r\n${lines.join('')}\r\n`, body ?? '']
}
