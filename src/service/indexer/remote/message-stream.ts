import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

/** Bytes of the length before each message, a whole number without sign. */
const LENGTH_BYTES = 4

/** Sends values to another process of the same installed version: whatever can be cloned, such as bytes and dates. */
export interface MessageSender<Sent> {
  /** Sends a message; it is dropped if the connection has ended. */
  send(message: Sent): void
}

/** Exchanges messages over a socket. A message may arrive in parts, and several in one part. */
export const openMessageStream = <Sent>(socket: Socket, onMessage: (message: unknown) => void): MessageSender<Sent> => {
  let parts: Buffer[] = []
  let byteCount = 0
  /** The length of the message that is being received; null until it is known. */
  let length: number | null = null

  /** Takes the first bytes of what has arrived; null if there are fewer. */
  const take = (count: number): Buffer | null => {
    if (byteCount < count) return null
    const bytes = Buffer.concat(parts)
    parts = [bytes.subarray(count)]
    byteCount -= count
    return bytes.subarray(0, count)
  }

  socket.on('data', (bytes: Buffer) => {
    parts.push(bytes)
    byteCount += bytes.length
    for (;;) {
      length ??= take(LENGTH_BYTES)?.readUInt32LE() ?? null
      const message = length === null ? null : take(length)
      if (message === null) return
      length = null
      let value: unknown
      try {
        value = deserialize(message)
      } catch {
        // Of another version.
        socket.destroy()
        return
      }
      onMessage(value)
    }
  })

  return {
    send(message) {
      if (socket.destroyed || !socket.writable) return
      const bytes = serialize(message)
      const prefix = Buffer.alloc(LENGTH_BYTES)
      prefix.writeUInt32LE(bytes.length)
      socket.cork()
      socket.write(prefix)
      socket.write(bytes)
      socket.uncork()
    },
  }
}
