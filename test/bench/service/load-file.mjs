import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** @import { SiteRequest } from './site-load.mjs' */

/**
 * A file of requests, created before a measurement: 10 million events take minutes to create, and gigabytes of memory.
 *
 * A record is the length of the body and the number of events (32 bits each), the last uuid (36 characters) and the body.
 */
const HEADER_BYTES = 44
const BLOCK_BYTES = 1024 * 1024

/**
 * @param {string} path
 * @param {Iterable<SiteRequest>} requests
 * @returns {{ path: string, eventCount: number, requestCount: number, bytes: number }}
 */
export const writeLoadFile = (path, requests) => {
  const file = openSync(path, 'w')
  let [eventCount, requestCount, bytes] = [0, 0, 0]
  try {
    for (const request of requests) {
      const header = Buffer.alloc(HEADER_BYTES)
      header.writeUInt32LE(request.body.length, 0)
      header.writeUInt32LE(request.eventCount, 4)
      header.write(request.lastUuid, 8, 'latin1')
      writeSync(file, Buffer.concat([header, request.body]))
      eventCount += request.eventCount
      requestCount += 1
      bytes += request.body.length
    }
  } finally {
    closeSync(file)
  }
  return { path, eventCount, requestCount, bytes }
}

/**
 * Reads the requests in order, a megabyte at a time.
 *
 * @param {string} path
 * @returns {Generator<SiteRequest>}
 */
export const readLoadFile = function* (path) {
  const file = openSync(path, 'r')
  let rest = Buffer.alloc(0)
  try {
    for (;;) {
      const block = Buffer.allocUnsafe(BLOCK_BYTES)
      const length = readSync(file, block)
      if (length === 0) break
      rest = Buffer.concat([rest, block.subarray(0, length)])
      let start = 0
      while (rest.length - start >= HEADER_BYTES) {
        const end = start + HEADER_BYTES + rest.readUInt32LE(start)
        if (end > rest.length) break
        yield {
          eventCount: rest.readUInt32LE(start + 4),
          lastUuid: rest.latin1Slice(start + 8, start + HEADER_BYTES),
          body: rest.subarray(start + HEADER_BYTES, end),
        }
        start = end
      }
      rest = rest.subarray(start)
    }
  } finally {
    closeSync(file)
  }
  if (rest.length > 0) throw new Error(`${path} ends in the middle of a request; write it again.`)
}
