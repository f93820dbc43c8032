import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Sends the parts of raw HTTP to a server over one connection, with a pause between them.
 *
 * @returns Everything that the server sends until it closes the connection.
 */
export const sendRaw = async (port: number, ...parts: readonly string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let response = ''
  socket.on('data', (part) => (response += part.toString('latin1')))
  const closed = new Promise<void>((resolve, reject) => socket.on('close', () => resolve()).on('error', reject))
  for (const part of parts) {
    socket.write(part, 'latin1')
    // The pause makes the server receive the body later than the head.
    await sleep(20)
  }
  await closed
  return response
}

/** Formats a request as raw HTTP: head and body. */
export const formatRequest = (
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): readonly [head: string, body: string] => {
  const allHeaders = {
    Host: 'example.com:8080',
    ...headers,
    ...(body !== undefined && { 'Content-Length': `${body.length}` }),
  }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return [`${line} HTTP/1.1\r\n${lines.join('')}\r\n`, body ?? '']
}
