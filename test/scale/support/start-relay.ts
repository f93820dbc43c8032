import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server that can be cut, while others still reach the server. */
export interface Relay {
  /** The URL that was given, by way of the relay. */
  readonly url: string
  /** Ends all connections, and refuses new ones. */
  cut(): void
  restore(): void
}

export const startRelay = async (server: string): Promise<Relay> => {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let isCut = false
  const track = (socket: Socket): void => {
    sockets.add(socket)
    // What one side loses, the other loses too.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const relay = createServer((socket) => {
    track(socket)
    if (isCut) {
      socket.destroy()
      return
    }
    const onward = connect(Number(port), hostname)
    track(onward)
    socket.pipe(onward).pipe(socket)
    socket.on('close', () => onward.destroy())
    onward.on('close', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    relay.close()
  })
  const url = new URL(server)
  url.port = String((relay.address() as AddressInfo).port)
  return { url: url.href, cut, restore: () => (isCut = false) }
}
