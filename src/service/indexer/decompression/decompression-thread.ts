import { parentPort } from 'node:worker_threads'
import { decompressBodies } from './decompress-bodies.ts'
import type { PackedBodies } from './pack-bodies.ts'

/** The script of the thread that decompresses bodies. It answers each message, in order. */
parentPort?.on('message', (bodies: PackedBodies) => {
  const result = decompressBodies(bodies)
  parentPort?.postMessage(result, [result.bytes.buffer, result.ends.buffer])
})
